#if os(macOS) || os(Linux)
  import Foundation

  /// Splits chunks of bytes into pieces, such as lines. Keeps the current chunk and the beginning of the current piece.
  struct OutputSplitter {
    private let separator: UInt8
    private let mayEndWithReturn: Bool
    /// The part of the current piece that was in previous chunks.
    private var beginning = Data()
    private var chunk = Data()

    /// - Parameters:
    ///   - separator: the last byte of a piece, which is removed.
    ///   - mayEndWithReturn: whether a carriage return before that byte is removed, too.
    init(endingAt separator: UInt8, mayEndWithReturn: Bool = false) {
      self.separator = separator
      self.mayEndWithReturn = mayEndWithReturn
    }

    mutating func add(_ new: Data) {
      beginning.append(chunk)
      chunk = new
    }

    /// Returns the next piece without its end, or `nil` if another chunk is needed. The piece may be a slice of a chunk.
    mutating func nextPiece() -> Data? {
      guard let end = chunk.firstIndex(ofByte: separator) else { return nil }
      let piece = beginning.isEmpty ? chunk[..<end] : beginning + chunk[..<end]
      beginning = Data()
      chunk = chunk[(end + 1)...]
      return endsWithReturn(piece) ? piece.dropLast() : piece
    }

    private func endsWithReturn(_ piece: Data) -> Bool { mayEndWithReturn && piece.last == UInt8(ascii: "\r") }

    /// The length of the current piece, whose end has not come yet, without a carriage return that may belong to it.
    var restLength: Int {
      beginning.count + chunk.count - (endsWithReturn(chunk.isEmpty ? beginning : chunk) ? 1 : 0)
    }

    /// Returns the last piece, unless the output ended with a separator.
    mutating func takeRest() -> Data? {
      defer {
        beginning = Data()
        chunk = Data()
      }
      return beginning.isEmpty && chunk.isEmpty ? nil : beginning + chunk
    }
  }

  extension Data {
    /// Returns the first index of a byte. `firstIndex(of:)` takes many times as long.
    fileprivate func firstIndex(ofByte byte: UInt8) -> Index? {
      // Safe, because the call reads only the bytes of this data, and the pointer is used only to count.
      unsafe withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, let found = unsafe memchr(start, Int32(byte), bytes.count) else {
          return nil
        }
        return unsafe startIndex + (UnsafeRawPointer(found) - start)
      }
    }
  }
#endif
