#if os(macOS) || os(Linux)
  public import PromiseCore

  /// A program that was started, with a promise for its result and another for its end.
  ///
  /// ```swift
  /// let fetch = Command("curl", ["--silent", address]).start()
  /// let page = fetch.result.timeout(.seconds(60)).map { result in result.text }
  /// fetch.end.onFulfilled { print("curl has ended, and the processes that it has started") }
  /// ```
  ///
  /// A promise that is cancelled is settled at once, but a program needs time to end, and may even ignore the request
  /// until ``Command/gracePeriod(_:)`` is over. A client that must not begin other work before waits for ``end``.
  ///
  /// The program runs to its end although no client retains one of the promises.
  public struct RunningCommand: Sendable {
    /// A promise for the termination of the program and for its output, as ``Command/run(timers:fileID:line:)`` returns
    /// it. A cancellation settles it at once, and stops the program.
    public let result: Promise<CommandResult>

    let ended: Promise<Void>

    /// A promise that is fulfilled when the program has ended, and with it all processes of its group.
    ///
    /// It is fulfilled however the program ends, and also if it could not be started or was cancelled before. It is
    /// never rejected, except by its own cancellation.
    ///
    /// A process that has left the group, as daemons do, is not waited for. A process that runs on in the background
    /// after the program has ended is waited for, without a limit. With ``Command/joiningProcessGroup()``, only the
    /// program itself is waited for.
    ///
    /// Each access returns a promise of its own. To cancel it affects neither the program nor the promises that other
    /// accesses have returned (rule 4.10), and does not mean that the program has ended: only fulfilment does.
    public var end: Promise<Void> { ended.shielded() }
  }
#endif
