#if os(macOS) || os(Linux)
  import PromiseCore
  import PromiseFoundation

  /// The promises and outputs that the client of ``Command/start(timers:fileID:line:)`` has beside the result.
  struct ProgramClient: Sendable {
    let started: Deferred<Int32>
    let ended: Deferred<Void>
    /// What the client writes to the first program of the pipeline. `nil` if that is not streamed.
    let input: InputChannel?
    private let writesToPipe: Bool
    /// `nil` if the output is not streamed.
    let output: OutputChannel?
    let errorOutput: OutputChannel?

    /// - Parameter writesToPipe: whether another program reads the standard output.
    init(of command: Command, readingFrom input: InputChannel?, writesToPipe: Bool, from site: CreationSite) {
      started = Deferred(at: site)
      ended = Deferred(at: site)
      self.input = input
      self.writesToPipe = writesToPipe
      let isStreamed = (output: command.output == .streamed, errorOutput: command.errorOutput == .streamed)
      // A program in the middle of a pipeline has no client who could read.
      output = isStreamed.output && !writesToPipe ? OutputChannel() : nil
      errorOutput = isStreamed.errorOutput && !writesToPipe ? OutputChannel() : nil
    }

    /// Returns what the client writes to, which closes the input when it is released. Call it once.
    func commandInput(program: String) -> CommandInput {
      // Only the client of the whole pipeline writes.
      CommandInput(program: program, writer: writesToPipe ? nil : input.map { InputClient(of: $0) })
    }

    /// Tells the client that the program cannot be started.
    func fail(with error: any Error) {
      input?.fail(with: error)
      for channel in [output, errorOutput] { channel?.end(throwing: error) }
      started.rejectIfPending(with: error)
      // Reading the error marks it as handled, because the client gets it from the result, too (rule 7.1).
      _ = started.promise.error
    }

    /// Tells the client that the program was stopped.
    func stop(because reason: any Error) {
      input?.stop(because: reason)
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
