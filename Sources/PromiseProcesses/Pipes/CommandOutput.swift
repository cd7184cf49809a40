#if os(macOS) || os(Linux)
  public import Foundation

  /// The standard output or the standard error of a running program, as an asynchronous sequence of chunks.
  ///
  /// ```swift
  /// let build = Command("swift", ["build"]).output(.streamed).errorOutput(.inherited).start()
  /// defer { build.result.cancel() }
  /// for try await line in build.output.lines { print(line) }
  /// let result = try await build.result.value
  /// ```
  ///
  /// A chunk has at least one byte and at most 64 KiB, and comes as soon as the program has written it. The library
  /// reads only when the consumer asks for a chunk. So a program that writes faster than the consumer reads has to
  /// wait, and output of any size needs little memory. A program that has written more than a pipe holds, which is 64
  /// KiB on Linux, does not go on until a consumer reads. If both outputs of a program are streamed, read them at the
  /// same time, in two Tasks.
  ///
  /// The sequence ends when no process can write any more. It does not say whether the program has succeeded. The
  /// `result` of the ``RunningCommand`` does.
  ///
  /// - It throws the reason if the program is stopped by a cancellation of the result, and the error if the program
  ///   could not be started. In both cases, output that was not read is discarded.
  /// - It throws `CancellationError` in a cancelled Task. The program is not stopped, and the next call can continue.
  /// - If a loop is left early, the program goes on, and the rest of the output is read and discarded. The same happens
  ///   when the last copy of the sequence is released before a consumer has begun to read. To stop the program, cancel
  ///   its result, as `defer` does in the example.
  /// - If the program ends before its output is read, its result does not wait for the consumer. The consumer gets the
  ///   rest later.
  /// - If another process still holds the output open when the program has ended, the sequence goes on for at most
  ///   ``Command/gracePeriod(_:)``. Then it ends behind what was written until then.
  ///
  /// An output is read once. A second iterator throws ``CommandError/outputAlreadyRead(program:part:)``. To pause
  /// between two loops, keep one iterator. If the output is not streamed, the sequence throws
  /// ``CommandError/outputNotStreamed(program:part:)``.
  public struct CommandOutput: AsyncSequence, Sendable {
    /// The bytes that one read has found.
    public typealias Element = Data

    let program: String
    let part: String
    /// `nil` if the output is not streamed.
    let claimants: OutputClaimants?

    /// Makes the caller the consumer of the output.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

    /// Receives the chunks one by one. When the last copy is released, the rest of the output is discarded.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let consumer: Result<OutputConsumer, CommandError>
      private let busy: CommandError

      init(of output: CommandOutput) {
        busy = .outputAlreadyRead(program: output.program, part: output.part)
        guard let channel = output.claimants?.channel else {
          consumer = .failure(.outputNotStreamed(program: output.program, part: output.part))
          return
        }
        consumer = channel.claim() ? .success(OutputConsumer(of: channel)) : .failure(busy)
      }

      /// Waits for the next chunk, and returns it. Returns `nil` at the end of the output.
      ///
      /// - Throws: the errors that are listed at ``CommandOutput``.
      public mutating func next() async throws -> Data? { try await next(isolation: nil) }

      /// Waits for the next chunk as ``next()`` does. The caller determines the actor on which it resumes.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
        try await consumer.get().channel.next(orThrow: busy)
      }
    }
  }
#endif
