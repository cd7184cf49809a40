#if os(macOS) || os(Linux)
  import Foundation
  public import PromiseContexts

  extension Command {
    /// Starts the program, and returns a promise for how it ended and what it wrote.
    ///
    /// ```swift
    /// let sorted = Command("sort").input("pears\napples\n").run().map { result in result.text }
    /// ```
    ///
    /// The program starts in the background, with a process group of its own, no blocked signals, the default action
    /// for every signal, and no open files but standard input, output and error. (Where the C library is glibc before
    /// 2.34, or Musl, it also gets those files that were opened without `O_CLOEXEC`.) No thread of the pool waits for
    /// it.
    ///
    /// The promise is settled when the program has ended and its output is complete. If another process still holds the
    /// output open then, for example a daemon that the program has left behind, the promise waits for the output no
    /// longer than ``gracePeriod(_:)``. The system's record of the program is removed before the promise is settled, so
    /// that it leaves no zombie, also if no client retains the promise.
    ///
    /// Rejects with ``CommandError/failed(_:)``, which has the output, if the program exits with a status that is not
    /// accepted or is killed by a signal; and with another ``CommandError`` if it cannot be started or writes too much.
    ///
    /// A cancellation settles the promise at once, as any other does. Before `cancel` returns, the program has got
    /// `SIGTERM`, and so have the processes of its group. If the program has not ended after ``gracePeriod(_:)``, all
    /// of them get `SIGKILL`. A program that has not started yet never starts.
    ///
    /// The arguments of a command may be secrets, and occur in no error.
    ///
    /// - Parameters:
    ///   - timers: measure the grace period. In a test's world, by default, that world's clock; the program itself runs
    ///     in real time.
    ///   - fileID: where the promise was made, for errors and diagnostics.
    ///   - line: the line there.
    public func run(
      timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Promise<CommandResult> {
      run(observingExitBy: .default, timers: timers, fileID: fileID, line: line)
    }

    /// - Parameter exit: how the end of the program is noticed. A test tries each way.
    func run(
      observingExitBy exit: ExitObservation, timers: any TimerContext = .standard, fileID: StaticString = #fileID,
      line: UInt = #line
    ) -> Promise<CommandResult> {
      let site = CreationSite(fileID: fileID, line: line)
      return Promise(fileID: fileID, line: line) { deferred in
        let child = ChildProcess(self, settling: deferred, observingExitBy: exit, timers: timers.here, from: site)
        deferred.onCancel { _ in child.stop() }
        child.start()
      }
    }
  }
#endif
