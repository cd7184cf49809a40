#if os(macOS) || os(Linux)
  import Foundation
  public import PromiseContexts

  extension Command {
    /// Starts the program, and returns a promise for its termination and its output.
    ///
    /// ```swift
    /// let sorted = Command("sort").input("pears\napples\n").run().map { result in result.text }
    /// ```
    ///
    /// The program starts in the background, and no thread of the pool waits for it. It has a process group of its own,
    /// and no open files but standard input, output and error. With glibc before 2.34 or Musl, it also inherits files
    /// that were opened without `O_CLOEXEC`.
    ///
    /// No signal is blocked in the program. A signal that the calling process ignores stays ignored, so a tool that was
    /// started with `nohup` and its programs survive a hangup. All other signals have their default action, also
    /// `SIGPIPE`, and those for which ``PromiseCore/Promise/signal(_:fileID:line:)`` waits.
    ///
    /// A process that ignores `SIGCHLD` starts no program, because the system keeps no exit statuses for such a process.
    /// The promise is rejected with ``CommandError/childSignalIgnored(program:)``. A process inherits this setting from
    /// the one that has started it. `signal(SIGCHLD, SIG_DFL)` ends it.
    ///
    /// The promise is settled when the program has ended and its output is complete. Another process may still hold the
    /// output open, for example a daemon that the program has started. Then the promise waits for the output no longer
    /// than ``gracePeriod(_:)``. The status of the program is collected before the promise is settled, also if no
    /// client retains the promise, so no zombie is left.
    ///
    /// Rejects with ``CommandError/failed(_:)``, which has the output, if the program exits with a status that is not
    /// accepted or is killed by a signal. Rejects with another ``CommandError`` if the program cannot be started or
    /// writes too much.
    ///
    /// A cancellation settles the promise at once. Before `cancel` returns, the program and the processes of its group
    /// have received `SIGTERM`. Those that have not ended after ``gracePeriod(_:)`` receive `SIGKILL`, also if the
    /// program itself has ended before. A program that has not started yet never starts. If the system is starting the
    /// program at that moment, `cancel` does not wait for it, and the program receives `SIGTERM` when it has started.
    /// To wait until a cancelled program has ended, use ``start(timers:fileID:line:)`` or
    /// ``runToEnd(timers:fileID:line:)``.
    ///
    /// The arguments of a command may be secrets, so no error contains them.
    ///
    /// - Parameters:
    ///   - timers: the timers that measure the grace period. In a `TestWorld`, the default is the clock of that world.
    ///     The program itself runs in real time.
    ///   - fileID: the file where the promise was made, for errors and diagnostics.
    ///   - line: the line where the promise was made.
    public func run(
      timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Promise<CommandResult> {
      run(observingExitBy: .default, timers: timers, from: CreationSite(fileID: fileID, line: line))
    }

    /// - Parameter exit: the way in which the end of the program is noticed. Tests use each way.
    func run(
      observingExitBy exit: ExitObservation, timers: any TimerContext = .standard,
      from site: CreationSite = CreationSite()
    ) -> Promise<CommandResult> {
      let child = makeChild(for: nil, writingTo: nil, observingExitBy: exit, timers: timers, from: site)
      child.start()
      return child.result
    }

    /// Returns a program that has not started. A cancellation of its result stops it.
    func makeChild(
      for client: ProgramClient?, writingTo pipe: Descriptor?, observingExitBy exit: ExitObservation,
      timers: any TimerContext, from site: CreationSite
    ) -> ChildProcess {
      let deferred = Deferred<CommandResult>(at: site)
      let child = ChildProcess(
        self, settling: deferred, for: client, writingTo: pipe, observingExitBy: exit, timers: timers.effective,
        from: site)
      deferred.addAwaitedCancelHook(at: site) { reason in
        child.stop(because: reason)
        return child.stopped.promise
      }
      return child
    }
  }
#endif
