#if os(macOS) || os(Linux)
  import PromiseCore
  import PromiseFoundation

  /// The promises and outputs that the client of ``Command/start(timers:fileID:line:)`` has beside the result.
  struct ProgramClient: Sendable {
    let started: Deferred<Int32>
    let ended: Deferred<Void>
    /// `nil` if the output is not streamed.
    let output: OutputChannel?
    let errorOutput: OutputChannel?

    /// - Parameter writesToPipe: whether another program reads the standard output.
    init(of command: Command, writesToPipe: Bool, from site: CreationSite) {
      started = Deferred(at: site)
      ended = Deferred(at: site)
      let isStreamed = (output: command.output == .streamed, errorOutput: command.errorOutput == .streamed)
      // A program in the middle of a pipeline has no client who could read.
      output = isStreamed.output && !writesToPipe ? OutputChannel() : nil
      errorOutput = isStreamed.errorOutput && !writesToPipe ? OutputChannel() : nil
    }

    /// Tells the client that the program cannot be started.
    func fail(with error: any Error) {
      for channel in [output, errorOutput] { channel?.end(throwing: error) }
      started.rejectIfPending(with: error)
      // Reading the error marks it as handled, because the client gets it from the result, too (rule 7.1).
      _ = started.promise.error
    }

    /// Tells the client that the program was stopped.
    func stop(because reason: any Error) {
      for channel in [output, errorOutput] { channel?.end(throwing: reason) }
      started.promise.cancel(reason: reason)
    }

    /// Tells the client that the program has ended with all processes of its group, or will never start.
    func end() { ended.ownedPromise.settleIfPending(.success(())) }
  }

  extension OutputChannel? {
    func sequence(program: String, part: String) -> CommandOutput {
      CommandOutput(program: program, part: part, claimants: map { OutputClaimants(of: $0) })
    }
  }
#endif
