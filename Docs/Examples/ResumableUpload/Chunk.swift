import Foundation
import PromiseCombinators

/// A piece of a file.
struct Chunk: Sendable {
  let number: Int
  let bytes: Range<Int>

  /// Divides a file into pieces of the same size. The last one may be smaller.
  static func chunks(of size: Int, each chunkSize: Int) -> [Chunk] {
    stride(from: 0, to: size, by: chunkSize).enumerated().map { number, start in
      Chunk(number: number, bytes: start..<min(start + chunkSize, size))
    }
  }
}

/// The server. Tests replace it with closures that return promises of their own.
struct UploadService: Sendable {
  /// Begins an upload, and returns a promise for its name.
  let begin: @Sendable () -> Promise<String>
  /// Sends a piece. A piece that is sent twice counts once. The promise shows the progress of the transfer.
  let send: @Sendable (_ upload: String, Chunk) -> Promise<Void>
  /// Ends an upload, and returns a promise for the address of the file.
  let complete: @Sendable (_ upload: String) -> Promise<String>
}

/// The server refuses a piece, and will refuse it again.
struct Refused: Error, Equatable {}

/// The connection was lost, or the server is busy.
struct Interrupted: Error, Equatable {}
