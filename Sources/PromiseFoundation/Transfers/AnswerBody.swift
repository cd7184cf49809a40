import Foundation

/// Gathers the body of an answer, in memory or in a file.
struct AnswerBody {
  private(set) var count: Int64 = 0
  private var data = Data()
  private let file: (url: URL, handle: FileHandle)?

  /// In memory.
  init() { file = nil }

  /// In a new file beside another, which it is to become. Only its owner may read it.
  ///
  /// - Throws: ``TransferError/notRegularFile(_:kind:)``, or `CocoaError` if nothing can be written there.
  init(beside target: URL) throws {
    try target.permissionsToKeep()
    let url = target.partBeside
    file = (url, try url.createPrivately())
  }

  mutating func append(_ more: Data) throws {
    if let file { try file.handle.write(contentsOf: more) } else { data += more }
    count += Int64(more.count)
  }

  /// It begins anew.
  mutating func clear() throws {
    data = Data()
    count = 0
    try file?.handle.truncate(atOffset: 0)
  }

  /// Ends writing and hands the contents over. A file that the closure has not moved is removed when it returns.
  func end(_ body: (AnswerContents) -> Void) {
    guard let file else { return body(.data(data)) }
    try? file.handle.close()
    body(.file(file.url))
    try? FileManager.default.removeItem(at: file.url)
  }
}

/// The body of an answer that is complete.
enum AnswerContents {
  case data(Data)
  case file(URL)
}
