#if os(macOS) || os(Linux)
  public import PromiseCore

  /// A program that was started, with promises for its result and its end, and its streamed input and output.
  ///
  /// ```swift
  /// let fetch = Command("curl", ["--silent", address]).start()
  /// let page = fetch.result.timeout(.seconds(60)).map { result in result.text }
  /// fetch.end.onFulfilled { print("curl has ended, and the processes that it has started") }
  /// ```
  ///
  /// A promise that is cancelled is settled at once, but a program needs time to end, and may even ignore the request
  /// until ``Command/gracePeriod(_:)`` is over. Until then the result has not finished (rule 2.11), so a `using` or a
  /// gate around it waits, and a client can wait for `result.whenFinished()`. After a success, ``end`` also waits for
  /// the processes that the program has left in the background.
  ///
  /// The program runs to its end although no client retains one of the promises.
  public struct RunningCommand: Sendable {
    /// A promise for the termination of the program and for its output, as ``Command/run(timers:fileID:line:)`` returns
    /// it. A cancellation settles it at once, and stops the program.
    public let result: Promise<CommandResult>

    /// Writes to the standard input of the program while it runs, if the command has the input
    /// ``Command/InputSource/streamed``. In a pipeline, it writes to the first program.
    public let input: CommandInput

    /// The standard output of the program while it runs, if the command has ``Command/output(_:)`` with
    /// ``Command/OutputDestination/streamed``.
    public let output: CommandOutput

    /// The standard error of the program while it runs, if the command has ``Command/errorOutput(_:)`` with
    /// ``Command/OutputDestination/streamed``.
    public let errorOutput: CommandOutput

    let ended: Promise<Void>
    let started: Promise<Int32>
    private let sendSignal: @Sendable (Int32, Bool) -> Bool

    init(_ result: Promise<CommandResult>, _ client: ProgramClient, of command: Command, run by: ChildProcess?) {
      self.result = result
      input = client.commandInput(program: command.program)
      output = client.output.sequence(program: command.program, part: "the standard output")
      errorOutput = client.errorOutput.sequence(program: command.program, part: "the standard error")
      ended = client.ended.promise
      started = client.started.promise
      // Weak, so that a client does not retain the input and the output of a program that has ended.
      sendSignal = { [weak by] number, toGroup in by?.send(number, toProcessGroup: toGroup) ?? false }
    }

    /// A promise that is fulfilled with the number of the process (pid) when the program has started.
    ///
    /// It is rejected with the error of the result if the program cannot be started or is cancelled before. When the
    /// program has ended, the system may give the number to another process. So send signals with
    /// ``send(signal:toProcessGroup:)``.
    ///
    /// Each access returns a promise of its own. To cancel it affects neither the program nor other promises (rule
    /// 4.10).
    public var processIdentifier: Promise<Int32> { started.shielded() }

    /// Sends a signal to the program.
    ///
    /// ```swift
    /// server.send(signal: SIGHUP)
    /// ```
    ///
    /// The signal never reaches another process, also if the program has ended meanwhile. In a pipeline, it reaches the
    /// last program. Wait for ``processIdentifier`` before the first signal, and for a word of the program before a
    /// signal that it handles itself. To stop the program, cancel ``result``, which also kills a program that does not
    /// react.
    ///
    /// - Parameters:
    ///   - signal: the number of the signal, for example `SIGHUP`.
    ///   - toProcessGroup: whether the processes of the program's group get the signal, too. With
    ///     ``Command/joiningProcessGroup()``, only the program itself gets it.
    /// - Returns: whether the signal was sent. `false` if the program has not started, if its status was collected, or
    ///   if there is no such signal. The status is collected just before the result is settled. If the result was
    ///   cancelled, it is collected when all processes of the group have ended.
    @discardableResult
    public func send(signal: Int32, toProcessGroup: Bool = false) -> Bool { sendSignal(signal, toProcessGroup) }

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
