#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation
  import PromiseContexts
  import PromiseCore

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
    // `@unchecked` because the members above the lock are constant or accessed only on `queue`, and those below it are
    // accessed only under the lock.
    private let command: Command
    private let deferred: Deferred<CommandResult>
    private let ended: Deferred<Void>?
    private let exitObservation: ExitObservation
    private let timers: any TimerContext
    private let site: CreationSite
    private let queue = DispatchQueue(label: "Promises.command", qos: .userInitiated)
    private var monitor: DescriptorMonitor?
    /// The wait for content of a named pipe, before which the program does not start.
    private var inputWait: DescriptorMonitor.WaitID?
    private var input: InputWriter?
    private var outputs: [OutputReader] = []
    private var group: ProcessGroup?
    private var hasExited = false
    /// The time for which the output of other processes is awaited, after the program has ended.
    private var outputPeriod = Period.notStarted
    private var isWaitingForGroup = false

    private enum Period { case notStarted, running, over }

    private let lock = ShortLock()
    /// The number of the process, from its start until its status is collected.
    private var process: pid_t?
    private var isStopping = false
    /// The timers of the grace periods, until the status is collected.
    private var scheduledTimers: [any ScheduledTimer] = []

    /// - Parameters:
    ///   - deferred: the owner of the result.
    ///   - ended: is fulfilled when the program has ended with all processes of its group, or will never start.
    init(
      _ command: Command, settling deferred: Deferred<CommandResult>, fulfillingAtEnd ended: Deferred<Void>?,
      observingExitBy exitObservation: ExitObservation, timers: any TimerContext, from site: CreationSite
    ) {
      self.command = command
      self.deferred = deferred
      self.ended = ended
      self.exitObservation = exitObservation
      self.timers = timers
      self.site = site
    }

    /// Starts the program on the queue, because the thread that does so waits until the program runs.
    func start() {
      queue.async { [self] in endOnFailure { try prepare() } }
    }

    /// Runs a step of the start. If it throws, the program never starts.
    private func endOnFailure(_ step: () throws -> Void) {
      do { try step() } catch let error as SystemError {
        deferred.rejectIfPending(with: CommandError.notStarted(program: command.program, code: error.code))
        end()
      } catch {
        deferred.rejectIfPending(with: error)
        end()
      }
    }

    private func prepare() throws {
      guard deferred.promise.isPending else { return end() }
      let spawn = try command.spawn()
      let monitor = try DescriptorMonitor.shared()
      let input = try command.openInput()
      self.monitor = monitor
      guard input.isNamedPipe else { return try launch(spawn, input: input, with: monitor) }
      inputWait = monitor.wait(for: POLLIN, of: input.reading, on: queue) { [self] in
        // `discard` may have taken it.
        guard inputWait.take() != nil else { return }
        endOnFailure { try launch(spawn, input: input, with: monitor) }
      }
    }

    private func launch(_ spawn: Spawn, input: ProgramInput, with monitor: DescriptorMonitor) throws {
      guard deferred.promise.isPending else { return end() }
      let (output, errors) = (try Descriptor.pipe(), try Descriptor.pipe())
      let process: pid_t
      do {
        process = try spawn.start(input: input.reading, output: output.writing, errors: errors.writing)
      } catch {
        throw command.error(error, starting: spawn)
      }
      // Set before anything else, because a cancellation cannot signal the program before.
      let isStopping = lock.locked {
        self.process = process
        return self.isStopping
      }
      group = ProcessGroup(ledBy: process)
      if case .data(let data) = command.input, let end = input.writing {
        self.input = InputWriter(data, to: end, on: queue, with: monitor)
        self.input?.write()
      }
      outputs = [output, errors].map {
        OutputReader($0.reading, atMost: command.outputLimit, on: queue, with: monitor)
      }
      for output in outputs { output.start { [self] in outputChanged() } }
      exitObservation.start(process, on: queue, with: monitor) { [self] in exited() }

      // The promise was cancelled while the program was being started.
      if isStopping { stop() }
    }

    // MARK: - Stopping

    /// Sends `SIGTERM`, and `SIGKILL` when the grace period is over. May be called on any thread.
    func stop() {
      let isRunning = lock.locked {
        isStopping = true
        signal(SIGTERM)
        return process != nil
      }
      if isRunning {
        startGracePeriod { [self] in lock.locked { signal(SIGKILL) } }
      }
      queue.async { [self] in discard() }
    }

    private func discard() {
      if let wait = inputWait.take() {
        monitor?.cancel(wait)
        return end()
      }
      input?.stop()
      for output in outputs { output.discard() }
      collectIfComplete()
    }

    /// Sends a signal to the process or its group, if its status is not collected. Call it under the lock.
    private func signal(_ number: Int32) {
      guard let process else { return }
      kill(command.joinsProcessGroup ? process : -process, number)
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
      if outputs.contains(where: \.isTooLarge), deferred.promise.isPending {
        deferred.rejectIfPending(
          with: CommandError.outputTooLarge(program: command.program, limit: command.outputLimit))
        stop()
      }
      collectIfComplete()
    }

    private func exited() {
      hasExited = true
      // The program's own output is in the pipes by now. Usually the pipes are also at their ends.
      for output in outputs { output.drain() }
      outputChanged()
    }

    private func collectIfComplete() {
      guard hasExited, !isWaitingForGroup else { return }
      if lock.locked({ isStopping }) {
        isWaitingForGroup = true
        return whenGroupHasEnded { [self] in collect() }
      }
      if outputPeriod == .over || outputs.allSatisfy(\.isAtEnd) { return collect() }
      guard outputPeriod == .notStarted else { return }
      outputPeriod = .running
      startGracePeriod { [self] in
        outputPeriod = .over
        for output in outputs { output.drain() }
        collectIfComplete()
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
        // Returns at once, because the program has ended. Safe because the call writes only to the variable.
        repeat { collected = unsafe waitpid(process, &status, 0) } while collected < 0 && errno == EINTR
        return (process, collected == process ? .init(waitStatus: status) : nil, scheduledTimers)
      }
      guard process != nil else { return }
      for timer in timers { timer.cancel() }
      input?.stop()
      for output in outputs { output.stop() }
      let (output, errors) = (outputs[0].data, outputs[1].data)
      deferred.settleIfPending {
        guard let termination else { throw CommandError.statusUnknown(program: command.program) }
        return try CommandResult(
          program: command.program, termination: termination, output: output, errorOutput: errors
        ).checked(by: command)
      }
      if ended != nil { whenGroupHasEnded { [self] in end() } }
    }

    /// Runs the body, on the queue, when no process of the group runs any more. The program itself has ended.
    ///
    /// - Parameter pause: the milliseconds until the next look, where the end of a process cannot be noticed.
    private func whenGroupHasEnded(lookingAgainAfter pause: Int = 10, _ body: @escaping @Sendable () -> Void) {
      guard let group, let monitor, let process = group.runningProcess else { return body() }
      exitObservation.start(process, of: group, on: queue, with: monitor, lookingAgainAfter: pause) { [self] in
        whenGroupHasEnded(lookingAgainAfter: min(2 * pause, 1_000), body)
      }
    }

    private func end() { ended?.ownedPromise.settleIfPending(.success(())) }
  }

  extension CommandResult {
    fileprivate func checked(by command: Command) throws -> CommandResult {
      guard let accepted = command.accepted else { return self }
      guard let status, accepted.contains(status) else { throw CommandError.failed(self) }
      return self
    }
  }
#endif
