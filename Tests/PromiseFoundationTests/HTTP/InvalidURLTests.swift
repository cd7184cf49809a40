import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Invalid URLs", .bounded)
struct InvalidURLTests {
  private static let bad = [
    "", " ", "host", "/path", "//host/path", "host/path", "http", "http:", "http:/", "http://", "http:///path",
    "http://?q",
    "http://#f", "http:host", "ftp://host/a", "file:///etc/passwd", "data:,a", "javascript:alert(1)", "mailto:a@b",
    "ws://host", "httpx://host", "http://ho st/", "http://host/a b", " http://host", "http://host ",
    "http://host:port/",
    "http://[::1/", "http://host/\u{0}", "http://host/\r\nX: y", "http://host/%", "http://host/%zz",
    "http://host/a\\b", "http://host/<a>", "http://host/\"", "http://host/grüße", "http://user name@host/",
    "http://host/^",
  ]

  @Test("A text that is not an http or https URL rejects with invalidURL, in every kind of request", arguments: bad)
  func rejects(_ text: String) async throws {
    let (folder, session) = (try Folder(), URLSession(configuration: .ephemeral))
    defer { session.finishTasksAndInvalidate() }
    let request = HTTPRequest.get(text)
    let promises = [
      session.promise(for: request).asVoid(), session.promise(for: request, decoding: Int.self).asVoid(),
      session.promise(for: request, decodingIfPresent: Int.self).asVoid(),
      session.promise(for: request, downloadingTo: folder.file("in")).asVoid(),
      session.promise(for: request.query(["a": 1])).asVoid(),
    ]
    for promise in promises {
      let error = await promise.failure
      guard case .invalidURL(text) = error as? HTTPRequestError else {
        Issue.record("\(text.debugDescription): \(String(describing: error))")
        continue
      }
    }
    #expect(try folder.names.isEmpty)
  }

  @Test(
    "A value in the host changes neither the rest of the host nor the path",
    arguments: ["a/b", "user@evil", "evil:80", "a b", "", "?", "#", "\\"])
  func host(_ value: String) throws {
    // Escapes are legal in a host, and are then part of its name.
    let url = try? HTTPRequest.get("http://{h}.example/p", ["h": value]).urlRequest().url
    if let url { #expect(url.host?.hasSuffix(".example") == true) }
    if let url { #expect(url.path == "/p") }
  }

  @Test("The scheme of a URL may be written in any case", arguments: ["HTTP://127.0.0.1", "Http://127.0.0.1"])
  func upperCase(_ start: String) async throws {
    let exchange = try Exchange { .text($0.target) }
    let request = HTTPRequest.get("\(start):\(exchange.server.port)/A")
    #expect(try request.urlRequest().url?.path == "/A")
  }

  @Test("https is an accepted scheme")
  func https() throws {
    #expect(try HTTPRequest.get("https://host/a").urlRequest().url?.absoluteString == "https://host/a")
  }

  @Test(
    "The target of a request has no fragment and at least a slash",
    arguments: [("", "/"), ("/", "/"), ("#f", "/"), ("?q", "/?q"), ("/a#f", "/a"), ("/a/../b", "/b"), ("//a", "//a")])
  func targets(_ end: String, _ target: String) async throws {
    let exchange = try Exchange { .text($0.target) }
    #expect(try await exchange.session.promise(for: .get(exchange.server.address + end)).value.text == target)
  }
}
