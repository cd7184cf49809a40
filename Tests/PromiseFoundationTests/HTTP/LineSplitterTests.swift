import Foundation
import TestSupport
import Testing

@testable import PromiseFoundation

/// Ways to cut a body into chunks. The result of a parser must not depend on them.
enum Cut: CaseIterable, Sendable {
  case whole, bytes, halves

  func chunks(of body: some Sequence<UInt8>) -> [Data] {
    let body = Data(body)
    return switch self {
    case .whole: [body]
    // A slice, whose indices do not begin at 0.
    case .bytes: body.indices.map { body[$0...$0] }
    case .halves: [body.prefix(body.count / 2), body.dropFirst(body.count / 2)]
    }
  }
}

extension ChunkParser {
  /// Parses a whole body.
  mutating func parseAll(_ chunks: [Data]) throws -> [Element] {
    var elements: [Element] = []
    for chunk in chunks { try parse(chunk, into: &elements) }
    try finish(into: &elements)
    return elements
  }
}

@Suite("Lines of bodies")
struct LineSplitterTests {
  private static let texts: [(String, [String])] = [
    ("", []),
    ("a", ["a"]),
    ("a\n", ["a"]),
    ("a\nb", ["a", "b"]),
    ("a\r\nb\r\n", ["a", "b"]),
    ("a\rb\r", ["a", "b"]),
    ("\n\n", ["", ""]),
    ("\r\n\r\n", ["", ""]),
    ("\r\r\n\n", ["", "", ""]),
    ("a\n\rb", ["a", "", "b"]),
    ("grüß\nЖ", ["grüß", "Ж"]),
    ("a\u{2028}b\u{85}c\u{0B}", ["a\u{2028}b\u{85}c\u{0B}"]),
  ]

  @Test("Each way to end a line is found, whatever the chunks", arguments: texts, Cut.allCases)
  func lines(_ text: (body: String, lines: [String]), _ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, from: nil))
    #expect(try parser.parseAll(cut.chunks(of: text.body.utf8)) == text.lines)
  }

  @Test("A line is complete at its CR, before the next chunk")
  func early() throws {
    var (parser, lines) = (LineParser(LineSplitter(endingAtReturns: true, from: nil)), [String]())
    try parser.parse(Data("a\r".utf8), into: &lines)
    #expect(lines == ["a"])
    try parser.parse(Data(), into: &lines)
    try parser.parse(Data("\nb\n".utf8), into: &lines)
    #expect(lines == ["a", "b"])
  }

  @Test("Bytes that are not UTF-8 are replaced", arguments: Cut.allCases)
  func notUTF8(_ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, from: nil))
    #expect(try parser.parseAll(cut.chunks(of: [0x61, 0xFF, 0x0A, 0xC3])) == ["a\u{FFFD}", "\u{FFFD}"])
  }

  @Test("A line that is too long throws, and one of the greatest length does not", arguments: Cut.allCases)
  func tooLong(_ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, atMost: 4, from: URL(string: "http://host/a")))
    #expect(try parser.parseAll(cut.chunks(of: "abcd\nabcd\r\n1234".utf8)) == ["abcd", "abcd", "1234"])
    let error = #expect(throws: TransferError.self) { try parser.parseAll(cut.chunks(of: "\nabcde\n".utf8)) }
    #expect("\(try #require(error))" == "a line or an event from http://host/a is larger than the limit of 4 bytes")
  }

  private struct Note: Codable, Sendable, Equatable {
    var id: Int
  }

  @Test("Each line is decoded as JSON, and empty lines are left out", arguments: Cut.allCases)
  func decoded(_ cut: Cut) throws {
    var decoder = LineDecoder<Note>(try response(), JSONDecoder())
    let body = "{\"id\": 1}\r\n\n \t\r\n{\"id\":\r2}\n{\"id\": 3}"
    #expect(try decoder.parseAll(cut.chunks(of: body.utf8)) == [1, 2, 3].map(Note.init))
  }

  @Test("A line that is not JSON throws with that line", arguments: [#"{"id": "x"}"#, "{", "[1", "null", "{} {}"])
  func notDecodable(_ line: String) throws {
    var (decoder, notes) = (LineDecoder<Note>(try response(), JSONDecoder()), [Note]())
    let error = #expect(throws: HTTPError.self) {
      try decoder.parse(Data("{\"id\": 1}\n\(line)\n".utf8), into: &notes)
    }
    #expect(error?.caseName == "HTTPError.notDecodable" && error?.response?.text == line)
    #expect(notes == [Note(id: 1)])
  }
}

/// Returns a response without a body.
func response(_ headers: [String: String] = [:], url: String = "http://host/a/b?c") throws -> HTTPResponse {
  let url = try #require(URL(string: url))
  let head = try #require(
    HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers))
  return try HTTPResponse(head, body: Data())
}
