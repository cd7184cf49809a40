#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation
  import PromiseContexts
  import PromiseCore

  /// A child process from its start until its status is collected. Writes its input, gathers its output, and stops it.
  ///
  ///            start           exited              output is at its end, or the grace period is over
  ///     waiting ──────▶ running ──────▶ exited ──────▶ collected; the promise is settled
  ///        │               │ stop: SIGTERM    │
  ///        │ stop          ▼                  │ stop: SIGTERM, for processes of the group that hold the output open
  ///        ▼            stopping ◀────────────┘
  ///     never starts       │ when the grace period is over: SIGKILL
  ///                        ▼ exited, and output at its end or the grace period over
  ///                    collected
  ///
  /// Invariant: no signal is sent once the status was collected. Until then the system gives the number of the process,
  /// which is also that of its group, to no other.
  ///
  /// The waits in the `DescriptorMonitor` retain this object until then. Its client does not.
  final class ChildProcess: @unchecked Sendable {
    // `@unchecked` because the members above the lock are constant or accessed only on `queue`, and those below it are
    // accessed only under the lock.
    private let command: Command
    private let deferred: Deferred<CommandResult>
    private let exitObservation: ExitObservation
    private let timers: any TimerContext
    private let site: CreationSite
    private let queue = DispatchQueue(label: "Promises.command", qos: .userInitiated)
    private var monitor: DescriptorMonitor?
    /// The wait for content of a named pipe, before which the program does not start.
    private var inputWait: DescriptorMonitor.WaitID?
    private var input: InputWriter?
    private var outputs: [OutputReader] = []
    private var hasExited = false
    private var isGracePeriodOver = false

    private let lock = ShortLock()
    /// The number of the process, from its start until its status is collected.
    private var process: pid_t?
    private var isStopping = false
    private var isTimerWanted = false
    private var timer: (any ScheduledTimer)?

    init(
      _ command: Command, settling deferred: Deferred<CommandResult>, observingExitBy exitObservation: ExitObservation,
      timers: any TimerContext, from site: CreationSite
    ) {
      self.command = command
      self.deferred = deferred
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
      } catch {
        deferred.rejectIfPending(with: error)
      }
    }

    private func prepare() throws {
      guard deferred.promise.isPending else { return }
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
      guard deferred.promise.isPending else { return }
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
      if isRunning { startGracePeriod() }
      queue.async { [self] in discard() }
    }

    private func discard() {
      if let wait = inputWait.take() {
        monitor?.cancel(wait)
        return
      }
      input?.stop()
      for output in outputs { output.discard() }
    }

    /// Sends a signal to the process or its group, if its status is not collected. Call it under the lock.
    private func signal(_ number: Int32) {
      guard let process else { return }
      kill(command.joinsProcessGroup ? process : -process, number)
    }

    private func startGracePeriod() {
      let isFirst = lock.locked {
        defer { isTimerWanted = true }
        return !isTimerWanted
      }
      guard isFirst else { return }
      let timer = timers.schedule(after: command.gracePeriod, from: site) { [self] in
        queue.async { self.gracePeriodEnded() }
      }
      let isLate = lock.locked {
        if process != nil { self.timer = timer }
        return process == nil
      }
      if isLate { timer.cancel() }
    }

    private func gracePeriodEnded() {
      isGracePeriodOver = true
      let isStopping = lock.locked {
        if self.isStopping { signal(SIGKILL) }
        return self.isStopping
      }
      for output in outputs {
        output.drain()
        // All processes of the group have been killed, so no further output is expected.
        if isStopping { output.stop() }
      }
      collectIfComplete()
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
      guard hasExited else { return }
      guard isGracePeriodOver || outputs.allSatisfy(\.isAtEnd) else { return startGracePeriod() }
      collect()
    }

    /// Collects the status of the program, which has ended, and settles the promise.
    private func collect() {
      typealias Collected = (pid_t?, CommandResult.Termination?, (any ScheduledTimer)?)
      let (process, termination, timer) = lock.locked { () -> Collected in
        guard let process = self.process.take() else { return (nil, nil, nil) }
        var status: Int32 = 0
        var collected: pid_t
        // Returns at once, because the program has ended. Safe because the call writes only to the variable.
        repeat { collected = unsafe waitpid(process, &status, 0) } while collected < 0 && errno == EINTR
        return (process, collected == process ? .init(waitStatus: status) : nil, self.timer.take())
      }
      guard process != nil else { return }
      timer?.cancel()
      input?.stop()
      for output in outputs { output.stop() }
      let (output, errors) = (outputs[0].data, outputs[1].data)
      deferred.settleIfPending {
        guard let termination else { throw CommandError.statusUnknown(program: command.program) }
        return try CommandResult(
          program: command.program, termination: termination, output: output, errorOutput: errors
        ).checked(by: command)
      }
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
