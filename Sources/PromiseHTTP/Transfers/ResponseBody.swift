import Foundation

/// Gathers the body of a response, in memory or in a file, or passes it on to a consumer.
struct ResponseBody {
  private(set) var count: Int64 = 0
  private var data = Data()
  private let file: (url: URL, handle: FileHandle)?
  private var stream: BodyStream?

  /// Creates a body that is gathered in memory.
  init() { file = nil }

  /// Creates a body that is gathered in a new temporary file in the folder of the target. Only its owner may read that
  /// file.
  ///
  /// - Throws: ``TransferError/notRegularFile(_:kind:)``, or `CocoaError` if the file cannot be written.
  init(beside target: URL) throws {
    try target.permissionsToKeep()
    let url = target.temporarySibling
    file = (url, try url.createPrivately())
  }

  mutating func append(_ more: Data) throws {
    if let stream {
      stream.append(more)
    } else if let file {
      try file.handle.write(contentsOf: more)
    } else {
      data += more
    }
    count += Int64(more.count)
  }

  /// Passes everything that is appended from now on to a consumer.
  mutating func pass(to stream: BodyStream) { self.stream = stream }

  /// Removes all bytes that were appended and not passed on.
  mutating func removeAll() throws {
    data = Data()
    count = 0
    try file?.handle.truncate(atOffset: 0)
  }

  /// Finishes writing, and passes the contents to a closure. A file that the closure does not move is removed when it
  /// returns.
  func finish(_ body: (ResponseContents) -> Void) {
    guard let file else { return body(.data(data)) }
    try? file.handle.close()
    body(.file(file.url))
    try? FileManager.default.removeItem(at: file.url)
  }
}

/// The complete body of a response.
enum ResponseContents {
  case data(Data)
  case file(URL)
}
