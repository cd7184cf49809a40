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
        private var chunks: CommandOutput.AsyncIterator?
        private var splitter = OutputLineSplitter()
        private let tooLong: CommandError
        private let limit: Int

        fileprivate init(of lines: Lines) {
          chunks = lines.output.makeAsyncIterator()
          tooLong = .lineTooLong(program: lines.output.program, limit: lines.limit)
          limit = lines.limit
        }

        /// Waits for the next line, and returns it. Returns `nil` at the end of the output.
        ///
        /// - Throws: the errors that are listed at ``CommandOutput``, and ``CommandError/lineTooLong(program:limit:)``.
        public mutating func next() async throws -> String? { try await next(isolation: nil) }

        /// Waits for the next line as ``next()`` does. The caller determines the actor on which it resumes.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
          while true {
            let line = splitter.nextLine()
            if (line?.count ?? splitter.restLength) > limit {
              // Releases the consumer, so that the rest of the output is discarded.
              chunks = nil
              splitter = OutputLineSplitter()
              throw tooLong
            }
            if let line { return String(decoding: line, as: UTF8.self) }
            guard let chunk = try await chunks?.next(isolation: actor) else {
              return splitter.takeRest().map { String(decoding: $0, as: UTF8.self) }
            }
            splitter.add(chunk)
          }
        }
      }
    }
  }

  /// Splits chunks of bytes into lines. Keeps the current chunk and the beginning of the current line.
  struct OutputLineSplitter {
    /// The part of the current line that was in previous chunks.
    private var beginning = Data()
    private var chunk = Data()

    mutating func add(_ new: Data) {
      beginning.append(chunk)
      chunk = new
    }

    /// Returns the next line without its end, or `nil` if another chunk is needed.
    mutating func nextLine() -> Data? {
      guard let end = chunk.indexOfLineFeed else { return nil }
      let line = beginning.isEmpty ? chunk[..<end] : beginning + chunk[..<end]
      beginning = Data()
      chunk = chunk[(end + 1)...]
      return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// The length of the current line, whose end has not come yet, without a carriage return at its end.
    var restLength: Int {
      let last = chunk.last ?? beginning.last
      return beginning.count + chunk.count - (last == UInt8(ascii: "\r") ? 1 : 0)
    }

    /// Returns the last line, unless the output ended with a line feed.
    mutating func takeRest() -> Data? {
      defer {
        beginning = Data()
        chunk = Data()
      }
      return beginning.isEmpty && chunk.isEmpty ? nil : beginning + chunk
    }
  }

  extension Data {
    /// The first index of a line feed. `firstIndex(of:)` takes many times as long.
    fileprivate var indexOfLineFeed: Index? {
      // Safe, because the call reads only the bytes of this data, and the pointer is used only to count.
      unsafe withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, let found = unsafe memchr(start, 0x0A, bytes.count) else { return nil }
        return unsafe startIndex + (UnsafeRawPointer(found) - start)
      }
    }
  }
#endif
