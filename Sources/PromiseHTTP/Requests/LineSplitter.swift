import Foundation

/// Splits a body that arrives in chunks into lines. A line ends with LF, CR or CR LF, or with LF alone.
struct LineSplitter: Sendable {
  private let endsAtReturns: Bool
  private let limit: Int
  private let url: URL?
  /// The beginning of a line whose end has not arrived.
  private var partial = Data()
  /// The part of the last chunk that was not looked at.
  private var rest = Data()
  /// Whether the last byte was a CR that has ended a line, so that an LF after it belongs to that end.
  private var skipsLineFeed = false

  /// - Parameters:
  ///   - endsAtReturns: whether a CR ends a line, too. Otherwise it is part of the line.
  ///   - limit: the greatest number of bytes of a line.
  ///   - url: the URL of the response, for the error.
  init(endingAtReturns endsAtReturns: Bool, atMost limit: Int = HTTPStream.maximumElementSize, from url: URL?) {
    self.endsAtReturns = endsAtReturns
    self.limit = limit
    self.url = url
  }

  /// Adds a chunk, after all lines of the previous chunk were taken.
  mutating func add(_ chunk: Data) { rest = chunk }

  /// Returns the next line that is complete, without its end. `nil` if there is none.
  ///
  /// - Throws: ``TransferError/elementTooLarge(limit:url:)``.
  mutating func nextLine() throws -> Data? {
    if skipsLineFeed, let first = rest.first {
      skipsLineFeed = false
      if first == .lineFeed { rest = rest.dropFirst() }
    }
    guard let end = rest.firstIndex(where: { $0 == .lineFeed || endsAtReturns && $0 == .carriageReturn }) else {
      defer { rest = Data() }
      try append(rest)
      return nil
    }
    try append(rest[..<end])
    skipsLineFeed = rest[end] == .carriageReturn
    rest = rest[(end + 1)...]
    defer { partial = Data() }
    return partial
  }

  /// Returns the last line if no end has followed it, or `nil` if there is none.
  mutating func finish() -> Data? {
    defer { partial = Data() }
    return partial.isEmpty ? nil : partial
  }

  private mutating func append(_ bytes: Data) throws {
    guard bytes.count <= limit - partial.count else { throw TransferError.elementTooLarge(limit: limit, url: url) }
    partial += bytes
  }
}

extension UInt8 {
  fileprivate static let lineFeed = UInt8(ascii: "\n")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

/// Makes text from lines.
struct LineParser: ChunkParser {
  private var splitter: LineSplitter

  init(_ splitter: LineSplitter) { self.splitter = splitter }

  mutating func parse(_ chunk: Data, into elements: inout [String]) throws {
    splitter.add(chunk)
    while let line = try splitter.nextLine() { elements.append(String(decoding: line, as: UTF8.self)) }
  }

  mutating func finish(into elements: inout [String]) {
    if let line = splitter.finish() { elements.append(String(decoding: line, as: UTF8.self)) }
  }
}

/// Decodes each line as JSON.
struct LineDecoder<Value: Decodable & Sendable & SendableMetatype>: ChunkParser {
  private let response: HTTPResponse
  private let decoder: JSONDecoder
  private var splitter: LineSplitter

  init(_ response: HTTPResponse, _ decoder: JSONDecoder) {
    self.response = response
    self.decoder = decoder
    // A CR between two tokens is white space of JSON.
    splitter = LineSplitter(endingAtReturns: false, from: response.url)
  }

  mutating func parse(_ chunk: Data, into elements: inout [Value]) throws {
    splitter.add(chunk)
    while let line = try splitter.nextLine() {
      if let value = try decode(line) { elements.append(value) }
    }
  }

  mutating func finish(into elements: inout [Value]) throws {
    if let line = splitter.finish(), let value = try decode(line) { elements.append(value) }
  }

  private func decode(_ line: Data) throws -> Value? {
    let whiteSpace = Array(" \t\r".utf8)
    guard !line.allSatisfy(whiteSpace.contains) else { return nil }
    do {
      return try decoder.decode(Value.self, from: line)
    } catch {
      throw HTTPError.notDecodable(try HTTPResponse(response.head, body: line), error)
    }
  }
}
