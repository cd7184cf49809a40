#if os(macOS) || os(Linux)
  import Foundation

  extension CommandOutput {
    /// The default limit for the length of a line, which is 16 MiB.
    public static let defaultMaximumLineLength = 16 << 20

    /// The output as text, line by line.
    ///
    /// ```swift
    /// for try await line in log.output.lines { print(line) }
    /// ```
    ///
    /// A line ends with a line feed, which is removed together with a carriage return before it. A carriage return
    /// alone ends no line. The last line needs no line feed, and there is no empty line behind the last line feed.
    /// Bytes that are not UTF-8 are replaced by U+FFFD. A line has at most ``defaultMaximumLineLength`` bytes.
    ///
    /// Otherwise as the chunks of ``CommandOutput``. Lines of a chunk that has arrived come before an error.
    public var lines: Lines { lines(maximumLength: Self.defaultMaximumLineLength) }

    /// Returns the output as text, line by line, with another limit for the length of a line. See ``lines``.
    ///
    /// - Parameter maximumLength: the greatest number of bytes before the end of a line. A longer line throws
    ///   ``CommandError/lineTooLong(program:limit:)``, which ends the sequence. Not more than this number of bytes and
    ///   two chunks are in memory.
    public func lines(maximumLength: Int) -> Lines { Lines(output: self, limit: maximumLength) }

    /// The output of a program as an asynchronous sequence of lines. See ``CommandOutput/lines``.
    public struct Lines: AsyncSequence, Sendable {
      /// A line without its end.
      public typealias Element = String

      fileprivate let output: CommandOutput
      fileprivate let limit: Int

      /// Makes the caller the consumer of the output.
      public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

      /// Receives the lines one by one. When the last copy is released, the rest of the output is discarded.
      public struct AsyncIterator: AsyncIteratorProtocol {
        private var pieces: OutputPieceReader

        fileprivate init(of lines: Lines) {
          pieces = OutputPieceReader(
            of: lines.output, OutputSplitter(endingAt: UInt8(ascii: "\n"), mayEndWithReturn: true), atMost: lines.limit,
            orThrow: .lineTooLong(program: lines.output.program, limit: lines.limit))
        }

        /// Waits for the next line, and returns it. Returns `nil` at the end of the output.
        ///
        /// - Throws: the errors that are listed at ``CommandOutput``, and ``CommandError/lineTooLong(program:limit:)``.
        public mutating func next() async throws -> String? { try await next(isolation: nil) }

        /// Waits for the next line as ``next()`` does. The caller determines the actor on which it resumes.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
          try await pieces.next(isolation: actor).map { String(decoding: $0, as: UTF8.self) }
        }
      }
    }
  }
#endif
