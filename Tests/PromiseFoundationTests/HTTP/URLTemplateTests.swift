import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Values in URL templates", .bounded)
struct URLTemplateTests {
  private func url(_ template: String, _ values: HTTPRequest.Values = [:]) throws -> String? {
    try HTTPRequest.get(template, values).urlRequest().url?.absoluteString
  }

  @Test("A value replaces its name, and all characters but letters, digits and -._~ are escaped")
  func everyCharacter() throws {
    for byte in UInt8(0)..<128 {
      let character = String(UnicodeScalar(byte))
      let isPlain = byte.isLetterOrDigit || "-._~".contains(character)
      let hex = String(byte, radix: 16, uppercase: true)
      let expected = isPlain ? character : "%" + (hex.count == 1 ? "0" : "") + hex
      #expect(try url("http://host/a{x}b", ["x": character]) == "http://host/a\(expected)b")
      #expect(try url("http://host/?q={x}", ["x": character]) == "http://host/?q=\(expected)")
    }
  }

  @Test(
    "A value always stays within one part of the URL",
    arguments: [
      ("a/b", "a%2Fb"), ("../..", "..%2F.."), ("100%", "100%25"), ("%2F", "%252F"), ("a b", "a%20b"),
      ("grüße", "gr%C3%BC%C3%9Fe"), ("🙂", "%F0%9F%99%82"), ("", ""), ("?a=b#c", "%3Fa%3Db%23c"), ("{y}", "%7By%7D"),
      ("}{", "%7D%7B"), ("a\r\nb", "a%0D%0Ab"), ("e\u{301}", "e%CC%81"),
    ])
  func texts(_ value: String, _ escaped: String) throws {
    #expect(try url("http://host/a/{x}/b", ["x": value]) == "http://host/a/\(escaped)/b")
  }

  @Test("A value that would be a dot segment of the path is refused", arguments: [".", ".."])
  func dots(_ value: String) throws {
    for template in ["http://host/a/{x}/b", "http://host/{x}", "http://host/a/{x}?q=1"] {
      #expect {
        try url(template, ["x": value])
      } throws: { error in
        guard case HTTPRequestError.dotSegment = error else { return false }
        return true
      }
    }
    #expect(throws: HTTPRequestError.self) { try url("http://host/{x}{y}/", ["x": ".", "y": "."]) }
    #expect(try url("http://host/a{x}/", ["x": value]) == "http://host/a\(value)/")
    #expect(try url("http://host/?q={x}", ["x": value]) == "http://host/?q=\(value)")
  }

  @Test(
    "A value that completes a dot segment is refused, even if dots are escaped",
    arguments: [
      ("/%2e{x}", "."), ("/%2E{x}", "."), ("/{x}%2e", "."), ("/a/%2e{x}/b", "."), ("/.{x}", "."), ("/.%2{x}", "e"),
      ("/%2{x}", "E"), ("/%2e%2{x}?q", "e"), ("/%{x}e.", "2"), ("/%2e{x}", ""), ("/..{x}", ""), ("/{x}%2E#f", ""),
      ("/%2e{x}.", ""), ("/{x/../y}", ".."), ("/{x?}/a", ".."),
    ])
  func encodedDots(_ path: String, _ value: String) throws {
    let name = path.contains("{x/") ? "x/../y" : path.contains("{x?}") ? "x?" : "x"
    // The name is "x", except in two paths whose names look like parts of a URL.
    let request = HTTPRequest(.get, "http://host" + path, KeyValuePairs(dictionaryLiteral: (name, value)))
    let error = try #require(throws: HTTPRequestError.self) { try request.urlRequest() }
    #expect(error.caseName == "HTTPRequestError.dotSegment")
  }

  @Test(
    "Dots that form no segment, and dot segments of the template itself, stay unchanged",
    arguments: [
      ("/%2e{x}", "a", "/%2ea"), ("/%2e%2e{x}", ".", "/%2e%2e."), ("/%2e%2e/{x}", "a", "/%2e%2e/a"),
      ("/./../{x}", "a", "/./../a"), ("/a?q=/%2e{x}", ".", "/a?q=/%2e."), ("/a#/{x}", "..", "/a#/.."),
      ("/%2e{x}", "%2e", "/%2e%252e"),
    ])
  func otherDots(_ path: String, _ value: String, _ filled: String) throws {
    #expect(try url("http://host" + path, ["x": value]) == "http://host" + filled)
  }

  @Test(
    "The server receives the value unchanged",
    arguments: ["a/b", "100%", "%41", "a b", "grüße", "🙂", "a?b#c", "{y}", "a+b", ";=&"])
  func arriving(_ value: String) async throws {
    let exchange = try Exchange { .text($0.path) }
    let request = HTTPRequest.get(exchange.server.address + "/x{v}y", ["v": value])
    #expect(try await exchange.session.promise(for: request).value.text == "/x\(value)y")
  }

  @Test("Numbers, Booleans and UUIDs are written as text")
  func kinds() throws {
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      try url("http://host/{a}/{b}/{c}/{d}", ["a": 7, "b": 1.5, "c": true, "d": id])
        == "http://host/7/1.5/true/E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
  }

  @Test("A name may occur several times and in each part of the URL")
  func repeated() throws {
    #expect(
      try url("http://{h}/{x}/{x}?{x}={x}#{x}", ["x": "a b", "h": "host"])
        == "http://host/a%20b/a%20b?a%20b=a%20b#a%20b")
  }

  @Test(
    "The URL's own escapes stay unchanged",
    arguments: ["http://host/a%20b%2Fc", "http://host/%C3%BC?a=%26#%20"])
  func ownEscapes(_ text: String) throws {
    #expect(try url(text) == text)
  }

  @Test("A name without a value is an error that states the name", arguments: ["x", "", " ", "a b", "{"])
  func missing(_ name: String) throws {
    let template = "http://host/{y}/{\(name)}"
    let error = try #require(throws: HTTPRequestError.self) { try url(template, ["y": 1]) }
    guard case .missingValue(name: name, url: template) = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("A value without a name in the URL is an error that states the name of the value")
  func unused() throws {
    let error = try #require(throws: HTTPRequestError.self) { try url("http://host/{y}", ["y": 1, "x": 2]) }
    guard case .unusedValue(name: "x", url: "http://host/{y}") = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("Names are case-sensitive")
  func caseSensitive() throws {
    let error = try #require(throws: HTTPRequestError.self) { try url("http://host/{Id}", ["id": 1]) }
    guard case .missingValue(name: "Id", _) = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test(
    "An unbalanced brace is an error",
    arguments: ["http://host/{x", "http://host/x}", "http://host/}x{", "http://host/{x}}", "{", "}"])
  func unbalanced(_ template: String) throws {
    let error = try #require(throws: HTTPRequestError.self) { try url(template, ["x": 1]) }
    guard case .unbalancedBrace(url: template) = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("A request with a missing value rejects, and nothing is sent")
  func nothingSent() async throws {
    let exchange = try Exchange { _ in .text("never") }
    let promise = exchange.session.promise(for: .get(exchange.server.address + "/{x}"))
    #expect(promise.isRejected)
    #expect(await promise.failure is HTTPRequestError)
    #expect(exchange.server.requests.isEmpty)
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    let character = Character(UnicodeScalar(self))
    return character.isLetter || character.isNumber
  }
}
