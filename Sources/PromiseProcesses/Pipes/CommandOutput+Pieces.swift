#if os(macOS) || os(Linux)
  public import Foundation

  extension CommandOutput {
    /// Returns the output in pieces that a byte separates, for example in names that a null character ends.
    ///
    /// ```swift
    /// let find = Command("find", [".", "-name", "*.log", "-print0"]).directory(project).output(.streamed).start()
    /// defer { find.result.cancel() }
    /// for try await name in find.output.pieces(separatedBy: 0) {
    ///   _ = try await Command("gzip", ["--"]).arguments([name]).directory(project).runToEnd()
    /// }
    /// ```
    ///
    /// A name of a file may contain line breaks, and need not be text. So the pieces are bytes, which
    /// ``Command/arguments(_:)-([Data])`` passes on unchanged, and `String(decoding: piece, as: UTF8.self)` shows.
    ///
    /// The separator belongs to no piece. Pieces may be empty. The last one needs no separator, and there is no empty
    /// piece behind the last separator. Otherwise as the chunks of ``CommandOutput``. Pieces of a chunk that has arrived
    /// come before an error.
    ///
    /// - Parameters:
    ///   - separator: the byte between two pieces.
    ///   - maximumLength: the greatest number of bytes of a piece. A longer piece throws
    ///     ``CommandError/pieceTooLong(program:limit:)``, which ends the sequence. Not more than this number of bytes and
    ///     two chunks are in memory.
    public func pieces(separatedBy separator: UInt8, maximumLength: Int = Self.defaultMaximumLineLength) -> Pieces {
      Pieces(output: self, separator: separator, limit: maximumLength)
    }

    /// The output of a program as an asynchronous sequence of pieces. See
    /// ``CommandOutput/pieces(separatedBy:maximumLength:)``.
    public struct Pieces: AsyncSequence, Sendable {
      /// The bytes between two separators.
      public typealias Element = Data

      fileprivate let output: CommandOutput
      fileprivate let separator: UInt8
      fileprivate let limit: Int

      /// Makes the caller the consumer of the output.
      public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

      /// Receives the pieces one by one. When the last copy is released, the rest of the output is discarded.
      public struct AsyncIterator: AsyncIteratorProtocol {
        private var pieces: OutputPieceReader

        fileprivate init(of sequence: Pieces) {
          pieces = OutputPieceReader(
            of: sequence.output, OutputSplitter(endingAt: sequence.separator), atMost: sequence.limit,
            orThrow: .pieceTooLong(program: sequence.output.program, limit: sequence.limit))
        }

        /// Waits for the next piece, and returns it. Returns `nil` at the end of the output.
        ///
        /// - Throws: the errors that are listed at ``CommandOutput``, and ``CommandError/pieceTooLong(program:limit:)``.
        public mutating func next() async throws -> Data? { try await next(isolation: nil) }

        /// Waits for the next piece as ``next()`` does. The caller determines the actor on which it resumes.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
          // Copied, because a slice has other indices and retains its chunk.
          try await pieces.next(isolation: actor).map { Data($0) }
        }
      }
    }
  }

  /// Reads an output in pieces.
  struct OutputPieceReader {
    private var chunks: CommandOutput.AsyncIterator?
    private var splitter: OutputSplitter
    private let limit: Int
    private let tooLong: CommandError

    /// - Parameters:
    ///   - limit: the greatest number of bytes of a piece.
    ///   - tooLong: the error for a longer piece.
    init(of output: CommandOutput, _ splitter: OutputSplitter, atMost limit: Int, orThrow tooLong: CommandError) {
      chunks = output.makeAsyncIterator()
      self.splitter = splitter
      self.limit = limit
      self.tooLong = tooLong
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      while true {
        let piece = splitter.nextPiece()
        if (piece?.count ?? splitter.restLength) > limit {
          // Releases the consumer, so that the rest of the output is discarded.
          chunks = nil
          _ = splitter.takeRest()
          throw tooLong
        }
        if let piece { return piece }
        guard let chunk = try await chunks?.next(isolation: actor) else { return splitter.takeRest() }
        splitter.add(chunk)
      }
    }
  }
#endif
