import Foundation

/// The lines before an empty line of a body of type `text/event-stream`.
struct ServerSentBlock: Sendable, Equatable {
  /// `nil` if the block has no data.
  let event: ServerSentEvent?
  /// The identifier that the server has set last, or `nil` if it has set none.
  let lastEventID: String?
}

/// Parses a body of type `text/event-stream` (HTML standard, 9.2.6).
struct ServerSentEventParser: ChunkParser {
  private var splitter: LineSplitter
  private let limit: Int
  private let url: URL?
  private var isAtStart = true
  // The buffers of the standard.
  private var type = ""
  private var data = ""
  private var lastEventID: String?
  /// The identifier of the last block. A block that neither changes it nor has data is left out.
  private var reportedID: String?
  private var reconnectionTime: Duration?

  /// - Parameters:
  ///   - limit: the greatest number of bytes of a line, and of the data of an event.
  ///   - url: the URL of the response, for the error.
  init(atMost limit: Int = HTTPStream.maximumElementSize, from url: URL?) {
    self.limit = limit
    self.url = url
    splitter = LineSplitter(endingAtReturns: true, atMost: limit, from: url)
  }

  mutating func parse(_ chunk: Data, into blocks: inout [ServerSentBlock]) throws {
    splitter.add(chunk)
    while var line = try splitter.nextLine() {
      if isAtStart {
        isAtStart = false
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if line.starts(with: byteOrderMark) { line = line.dropFirst(3) }
      }
      if !line.isEmpty {
        try process(line)
      } else {
        let event = takeEvent()
        if event == nil, lastEventID == reportedID { continue }
        blocks.append(ServerSentBlock(event: event, lastEventID: lastEventID))
        reportedID = lastEventID
      }
    }
  }

  /// Discards an event that is not complete.
  mutating func finish(into blocks: inout [ServerSentBlock]) {}

  private mutating func process(_ line: Data) throws {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": type = String(decoding: value, as: UTF8.self)
    case "data":
      guard value.count < limit - data.utf8.count else { throw TransferError.elementTooLarge(limit: limit, url: url) }
      data += String(decoding: value, as: UTF8.self) + "\n"
    case "id" where !value.contains(0): lastEventID = String(decoding: value, as: UTF8.self)
    case "retry" where !value.isEmpty && value.allSatisfy(\.isDigit):
      // A number that is too large for an integer is ignored.
      if let milliseconds = Int(String(decoding: value, as: UTF8.self)) {
        reconnectionTime = .milliseconds(milliseconds)
      }
    default: break  // A comment, whose name is empty, or a field that is unknown or not valid.
    }
  }

  /// Returns the event that an empty line completes, or `nil` if it has no data.
  private mutating func takeEvent() -> ServerSentEvent? {
    defer {
      type = ""
      data = ""
    }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: String(data.dropLast()), lastEventID: lastEventID ?? "",
      reconnectionTime: reconnectionTime)
  }
}

extension UInt8 {
  /// Whether this is an ASCII digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
