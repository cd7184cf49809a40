import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gathers the body of a response, in memory, in a file or in the part of a download, or passes it on to a consumer.
struct ResponseBody {
  private var ownCount: Int64 = 0
  private var data = Data()
  private let file: (url: URL, handle: OpenFile)?
  private var stream: BodyStream?
  private let part: PartialBody?

  /// Creates a body that is gathered in memory.
  init() {
    file = nil
    part = nil
  }

  /// Creates a body that is gathered in the part of a download.
  init(in part: PartialBody) {
    file = nil
    self.part = part
  }

  /// Creates a body that is gathered in a new temporary file in the folder of the target. Only its owner may read that
  /// file.
  ///
  /// - Throws: ``TransferError/notRegularFile(_:kind:)``, or `CocoaError` if the file cannot be written.
  init(beside target: URL) throws {
    try target.permissionsToKeep()
    let url = target.temporarySibling
    file = (url, try url.createPrivately())
    part = nil
  }

  /// The number of bytes of the body that have arrived.
  var count: Int64 { part?.count ?? ownCount }

  /// Prepares for the body of a response, and removes all bytes of an earlier response that were not passed on.
  ///
  /// - Returns: the greatest number of bytes that the body may have, if the response determines it.
  mutating func begin(_ response: URLResponse) throws -> Int? {
    if let part { return try part.begin(response) }
    data = Data()
    ownCount = 0
    try file?.handle.truncate(atOffset: 0)
    return nil
  }

  /// Returns the number of bytes that count for the progress, and the number of all of them, which is zero or less if it
  /// is unknown.
  func progress(expecting whole: Int64) -> (part: Int64, whole: Int64) { part?.progress ?? (count, whole) }

  mutating func append(_ more: Data) throws {
    if let part { return try part.append(more) }
    if let stream {
      stream.append(more)
    } else if let file {
      try file.handle.write(contentsOf: more)
    } else {
      data += more
    }
    ownCount += Int64(more.count)
  }

  /// Passes everything that is appended from now on to a consumer.
  mutating func pass(to stream: BodyStream) { self.stream = stream }

  /// Finishes writing, and passes the contents to a closure. A file that the closure does not move is removed when it
  /// returns. A part is not closed.
  func finish(_ body: (Result<ResponseContents, any Error>) -> Void) {
    if part != nil { return body(.success(.part)) }
    guard let file else { return body(.success(.data(data))) }
    body(
      Result {
        // Some file systems, such as NFS, report only now that they have lost bytes.
        try file.handle.close()
        return .file(file.url)
      })
    try? FileManager.default.removeItem(at: file.url)
  }
}

/// The complete body of a response.
enum ResponseContents {
  case data(Data)
  case file(URL)
  /// The body is in the part of a download.
  case part
}
