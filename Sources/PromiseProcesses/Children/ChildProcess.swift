#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation
  import PromiseContexts
  import PromiseCore
  import PromiseFoundation

  /// A program from its start until it has ended with all processes of its group. Writes its input, gathers its output,
  /// and stops it.
  ///
  ///            start           exited              output is at its end, or the grace period is over
  ///     waiting ──────▶ running ──────▶ exited ──────▶ collected; the result is settled
  ///        │               │ stop: SIGTERM    │             │ no process of the group is left
  ///        │ stop          ▼                  │ stop        ▼
  ///        ▼            stopping ◀────────────┘           ended
  ///      ended             │ when the grace period is over: SIGKILL
  ///                        ▼ exited, and no other process of the group is left
  ///                 collected and ended
  ///
  /// Invariant: no signal is sent once the status was collected. Until then the system gives the number of the process,
  /// which is also that of its group, to no other. So while other processes of the group may still need a signal, the
  /// status is not collected.
  ///
  /// The waits in the `DescriptorMonitor` retain this object until then. Its client does not.
  final class ChildProcess: @unchecked Sendable {
    // `@unchecked Sendable`, because the members above the lock are constant or accessed only on `queue`, and those
    // below it are accessed only under the lock.
    private let command: Command
    private let deferred: Deferred<CommandResult>
    private let client: ProgramClient?
    /// Settled when no process that a cancellation stops is left.
    let stopped = Deferred<Void>()
    private let isWritingToPipe: Bool
    private let exitObservation: ExitObservation
    private let timers: any TimerContext
    private let site: CreationSite
    private let queue = DispatchQueue(label: "Promises.command", qos: .userInitiated)
    private var monitor: DescriptorMonitor?
    /// The wait for content of a named pipe, before which the program does not start.
    private var inputWait: DescriptorMonitor.WaitID?
    private var input: InputWriter?
    /// The pipe to the next program of a pipeline, until this program has started.
    private var pipe: Descriptor?
    private var output: OutputReader?
    private var errorOutput: OutputReader?
    private var group: ProcessGroup?
    private var hasExited = false
    /// The time for which the output of other processes is awaited, after the program has ended.
    private var outputPeriod = Period.notStarted
    private var isWaitingForGroup = false

    private enum Period { case notStarted, running, over }

    private let lock = ShortLock()
    /// The number of the process, from its start until its status is collected.
    private var process: pid_t?
    private var stopReason: (any Error)?
    /// The previous program of a pipeline, which writes the input of this one.
    private var feeder: RunningCommand?
    /// The timers of the grace periods, until the status is collected.
    private var scheduledTimers: [any ScheduledTimer] = []

    /// - Parameters:
    ///   - deferred: the owner of the result.
    ///   - pipe: the standard output of a program whose output another program reads.
    init(
      _ command: Command, settling deferred: Deferred<CommandResult>, for client: ProgramClient?,
      writingTo pipe: Descriptor?, observingExitBy exitObservation: ExitObservation, timers: any TimerContext,
      from site: CreationSite
    ) {
      self.command = command
      self.deferred = deferred
      self.client = client
      self.pipe = pipe
      isWritingToPipe = pipe != nil
      self.exitObservation = exitObservation
      self.timers = timers
      self.site = site
      // No client sees it.
      stopped.promise.markHandledInAdvance()
    }

    /// The promise for the termination of the program and for its output.
    var result: Promise<CommandResult> { deferred.promise }

    /// Starts the program on the queue, because the thread that does so waits until the program runs.
    func start() {
      queue.async { [self] in endOnFailure { try prepare() } }
    }

    /// Runs a step of the start. If it throws, the program never starts.
    private func endOnFailure(_ step: () throws -> Void) {
      do { try step() } catch {
        let code = (error as? SystemError)?.code
        let failure: any Error = code.map { CommandError.notStarted(program: command.program, code: $0) } ?? error
        deferred.rejectIfPending(with: failure)
        client?.fail(with: failure)
        lock.locked { feeder }?.result.cancel(reason: failure)
        end()
      }
    }

    private func prepare() throws {
      guard deferred.promise.isPending else { return end() }
      let spawn = try command.spawn()
      let monitor = try DescriptorMonitor.shared()
      let input = try command.openInput(isWritten: client?.input != nil)
      self.monitor = monitor
      if case .output(of: let former) = command.source {
        return startFeeder(former, writingTo: input.writing) { [self, reading = input.reading] in
          try launch(spawn, input: ProgramInput(reading: reading), with: monitor)
        }
      }
      guard input.isNamedPipe, let pipe = input.reading else { return try launch(spawn, input: input, with: monitor) }
      inputWait = monitor.wait(for: POLLIN, of: pipe, on: queue) { [self] in
        // `discard` may have taken it.
        guard inputWait.take() != nil else { return }
        endOnFailure { try launch(spawn, input: input, with: monitor) }
      }
    }

    /// Starts the previous program of a pipeline, and then this one.
    private func startFeeder(
      _ former: Command, writingTo pipe: Descriptor?, _ launch: @escaping @Sendable () throws -> Void
    ) {
      let feeder = former.start(
        readingFrom: client?.input, writingTo: pipe, observingExitBy: exitObservation, timers: timers, from: site)
      let stopReason = lock.locked {
        self.feeder = feeder
        return self.stopReason
      }
      // The promise was cancelled meanwhile.
      if let stopReason { feeder.result.cancel(reason: stopReason) }
      // Reading the error marks it as handled, because it becomes that of this program (rule 7.1).
      feeder.result.whenSettled { _ = feeder.result.error }
      feeder.started.whenSettled { [self] in
        queue.async { [self] in
          endOnFailure {
            if let error = feeder.started.error { throw error }
            try launch()
          }
        }
      }
    }

    private func launch(_ spawn: Spawn, input: ProgramInput, with monitor: DescriptorMonitor) throws {
      guard deferred.promise.isPending else { return end() }
      // The status of the program would be lost. Its number could also belong to another process before this object
      // notices its end, and a signal would reach that process.
      if Spawn.isStatusDiscarded { throw CommandError.childSignalIgnored(program: command.program) }
      let outputs = try (
        output: pipe.take().map { OutputFile(writing: $0) }
          ?? OutputFile(
            for: command.output, as: STDOUT_FILENO, of: command, to: client?.output, on: queue, with: monitor),
        // If both are merged, the standard error is discarded here, and the file is not used.
        errors: OutputFile(
          for: command.errorOutput, as: STDERR_FILENO, of: command, to: client?.errorOutput, on: queue, with: monitor)
      )
      let process: pid_t
      do {
        process = try spawn.start(
          input: input.reading, output: outputs.output.writing, errors: outputs.errors.writing)
      } catch {
        throw command.error(error, starting: spawn)
      }
      // Set before anything else, because a cancellation cannot signal the program before.
      let stopReason = lock.locked {
        self.process = process
        return self.stopReason
      }
      client?.started.ownedPromise.settleIfPending(.success(process))
      group = ProcessGroup(ledBy: process)
      if let channel = inputChannel, let end = input.writing {
        self.input = InputWriter(channel, to: end, on: queue, with: monitor)
        self.input?.start()
      }
      output = outputs.output.reader
      errorOutput = outputs.errors.reader
      for reader in readers { reader.start { [self] in outputChanged() } }
      exitObservation.start(process, on: queue, with: monitor) { [self] in exited() }

      // The promise was cancelled while the program was being started.
      if let stopReason { stop(because: stopReason) }
    }

    /// What this process writes to the standard input of the program.
    private var inputChannel: InputChannel? {
      switch command.source {
      case .data(let data): InputChannel(of: command.program, closedBehind: data)
      case .streamed: client?.input
      default: nil
      }
    }

    private var readers: [OutputReader] { [output, errorOutput].compactMap { $0 } }

    // MARK: - Stopping

    /// Sends `SIGTERM`, and `SIGKILL` when the grace period is over. May be called on any thread.
    ///
    /// - Parameter reason: the error of the result.
    func stop(because reason: any Error) {
      // Before the signal, because the outputs end when the program does.
      client?.stop(because: reason)
      let (isRunning, feeder) = lock.locked { () -> (Bool, RunningCommand?) in
        if stopReason == nil { stopReason = reason }
        signal(SIGTERM, toProcessGroup: true)
        return (process != nil, self.feeder)
      }
      feeder?.result.cancel(reason: reason)
      if isRunning {
        startGracePeriod { [self] in send(SIGKILL, toProcessGroup: true) }
      }
      queue.async { [self] in discard() }
    }

    private func discard() {
      if let wait = inputWait.take() {
        monitor?.cancel(wait)
        return end()
      }
      input?.stop()
      for reader in readers { reader.discard() }
      collectIfComplete()
    }

    /// Sends a signal to the process or its group, if its status is not collected. May be called on any thread.
    ///
    /// - Returns: whether the signal was sent.
    @discardableResult
    func send(_ number: Int32, toProcessGroup: Bool) -> Bool {
      lock.locked { signal(number, toProcessGroup: toProcessGroup) }
    }

    /// Sends a signal as ``send(_:toProcessGroup:)`` does. Call it under the lock.
    @discardableResult
    private func signal(_ number: Int32, toProcessGroup: Bool) -> Bool {
      guard let process else { return false }
      guard toProcessGroup, !command.joinsProcessGroup else { return kill(process, number) == 0 }
      let reachedGroup = kill(-process, number) == 0
      // The program itself may have joined another group.
      return (getpgid(process) != process && kill(process, number) == 0) || reachedGroup
    }

    /// - Parameter ended: runs on the queue when the period is over, unless the status was collected before.
    private func startGracePeriod(_ ended: @escaping @Sendable () -> Void) {
      let timer = timers.schedule(after: command.gracePeriod, from: site) { [queue] in queue.async(execute: ended) }
      let isLate = lock.locked {
        if process != nil { scheduledTimers.append(timer) }
        return process == nil
      }
      if isLate { timer.cancel() }
    }

    // MARK: - Ending

    private func outputChanged() {
      if readers.contains(where: \.isTooLarge), deferred.promise.isPending {
        let error = CommandError.outputTooLarge(program: command.program, limit: command.outputLimit)
        deferred.ownedPromise.staysUnfinished(until: stopped.promise)
        deferred.rejectIfPending(with: error)
        stop(because: error)
      }
      collectIfComplete()
    }

    private func exited() {
      hasExited = true
      // The program's own output is in the pipes by now. Usually the pipes are also at their ends.
      for reader in readers { reader.drain() }
      outputChanged()
    }

    private func collectIfComplete() {
      // A cancellation may come after the status was collected, while the previous program of a pipeline still runs.
      guard hasExited, !isWaitingForGroup, lock.locked({ process != nil }) else { return }
      if lock.locked({ stopReason != nil }) {
        isWaitingForGroup = true
        return whenGroupHasEnded { [self] in collect() }
      }
      if outputPeriod == .over || readers.allSatisfy(\.isAtEnd) { return collect() }
      guard outputPeriod == .notStarted else { return }
      outputPeriod = .running
      for reader in readers { reader.waitForEnd() }
      startGracePeriod { [self] in
        outputPeriod = .over
        for reader in readers { reader.drain() }
        outputChanged()
      }
    }

    /// Collects the status of the program, which has ended, and settles the promise.
    private func collect() {
      typealias Collected = (pid_t?, CommandResult.Termination?, [any ScheduledTimer])
      let (process, termination, timers) = lock.locked { () -> Collected in
        guard let process = self.process.take() else { return (nil, nil, []) }
        defer { scheduledTimers = [] }
        var status: Int32 = 0
        var collected: pid_t
        // Returns at once, because the program has ended. Safe, because the call writes only to the variable.
        repeat { collected = unsafe waitpid(process, &status, 0) } while collected < 0 && errno == EINTR
        return (process, collected == process ? .init(waitStatus: status) : nil, scheduledTimers)
      }
      guard process != nil else { return }
      for timer in timers { timer.cancel() }
      input?.stop()
      for reader in readers { reader.stop() }
      let output = output?.data ?? Data()
      let errors = errorOutput?.data ?? Data()
      // The end of the group may be awaited for long.
      self.output = nil
      errorOutput = nil
      settle { [command, isWritingToPipe] in
        guard let termination else { throw CommandError.statusUnknown(program: command.program) }
        // The next program of a pipeline has stopped reading.
        let isUnread = isWritingToPipe && termination == .killed(signal: SIGPIPE)
        let result = CommandResult(
          program: command.program, termination: termination, output: output, errorOutput: errors,
          mergesErrorOutput: command.mergesErrorOutput)
        return isUnread ? result : try result.checked(by: command)
      }
      noteStopped()
      if client != nil { whenGroupHasEnded { [self] in end() } }
    }

    /// Notes that the program has ended or never starts and, if it was stopped, that its group has ended. A
    /// cancellation still waits for the previous program of a pipeline.
    private func noteStopped() {
      // Retains the owner, because nothing else may retain it until the previous program has ended.
      let note = { @Sendable [stopped] in stopped.ownedPromise.settleIfPending(.success(())) }
      guard let feeder = lock.locked({ feeder }) else { return note() }
      feeder.result.whenFinished(note)
    }

    /// Settles the promise when the previous program of a pipeline has ended, too. Its error comes first.
    private func settle(with body: @escaping @Sendable () throws -> CommandResult) {
      guard let feeder = lock.locked({ feeder }) else { return deferred.settleIfPending(with: body) }
      feeder.result.whenSettled { [queue, deferred] in
        queue.async {
          deferred.settleIfPending {
            if let error = feeder.result.error { throw error }
            return try body()
          }
        }
      }
    }

    /// Runs the body, on the queue, when no process of the group runs any more. The program itself has ended.
    ///
    /// - Parameter pause: the milliseconds until the next look, if it is unknown whether a process runs, or if its end
    ///   cannot be noticed.
    private func whenGroupHasEnded(lookingAgainAfter pause: Int = 10, _ body: @escaping @Sendable () -> Void) {
      guard let group, let monitor else { return body() }
      let lookAgain = { @Sendable [self] in whenGroupHasEnded(lookingAgainAfter: min(2 * pause, 1_000), body) }
      do {
        guard let process = try group.runningProcess else { return body() }
        exitObservation.start(
          process, of: group, on: queue, with: monitor, lookingAgainAfter: pause, lookAgain)
      } catch {
        queue.asyncAfter(deadline: .now() + .milliseconds(pause), execute: lookAgain)
      }
    }

    private func end() {
      noteStopped()
      guard let client else { return }
      guard let feeder = lock.locked({ feeder }) else { return client.end() }
      feeder.ended.whenSettled { client.end() }
    }
  }

  extension CommandResult {
    fileprivate func checked(by command: Command) throws -> CommandResult {
      guard let accepted = command.accepted else { return self }
      guard let status, accepted.contains(status) else { throw CommandError.failed(self) }
      return self
    }
  }
#endif
