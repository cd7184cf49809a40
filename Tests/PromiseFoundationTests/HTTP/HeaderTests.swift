import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Headers and methods", .bounded)
struct HTTPHeaderTests {
  @Test("A header that is set again replaces the former value, regardless of case")
  func set() async throws {
    let exchange = try Exchange { _ in .empty() }
    let request = HTTPRequest.get(exchange.server.address)
      .header("X-One", "1").header("X-Two", "a, b; c=\"d\"").header("x-ONE", "2").header("Authorization", "Bearer t")
    _ = try await exchange.session.promise(for: request).value
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.headers.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["2"])
    #expect(seen["X-Two"] == "a, b; c=\"d\"")
    #expect(seen["Authorization"] == "Bearer t")
  }

  @Test(
    "A header value with a control character is refused, and nothing is sent",
    arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "\r\n", "a\u{0}b", "\u{1F}", "a\u{7F}"])
  func injection(_ value: String) async throws {
    let exchange = try Exchange { _ in .empty() }
    let promise = exchange.session.promise(for: .get(exchange.server.address).header("X-A", value))
    #expect(promise.isRejected)
    let error = await promise.failure
    guard case .invalidHeader(name: "X-A") = error as? HTTPRequestError else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(exchange.server.requests.isEmpty)
  }

  @Test("A content type with a line break is refused")
  func injectedType() throws {
    let request = HTTPRequest.post("http://host/").body(Data([1]), type: "text/plain\r\nX-Evil: 1")
    #expect {
      try request.urlRequest()
    } throws: { error in
      guard case HTTPRequestError.invalidHeader(name: "Content-Type") = error else { return false }
      return true
    }
    let other = HTTPRequest.post("http://host/").header("Content-Type", "text/csv").body(Data([1]), type: "text/plain")
    #expect(try other.urlRequest().value(forHTTPHeaderField: "Content-Type") == "text/csv")
  }

  @Test(
    "A header name that is not a token is refused",
    arguments: ["", " ", "X A", "X:", "X-A\r\nX-Evil", "X\u{0}", "Ä", "a\tb", "(a)", "a@b", "١", "a\u{301}"])
  func badName(_ name: String) throws {
    let error = #expect(throws: HTTPRequestError.self) {
      try HTTPRequest.get("http://host").header(name, "v").urlRequest()
    }
    guard case .invalidHeader(name) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "A header value may be empty or contain tabs, inner spaces and umlauts",
    arguments: ["a\tb", "a  b", "grüß", ""])
  func values(_ value: String) async throws {
    let exchange = try Exchange { _ in .empty() }
    let request = HTTPRequest.get(exchange.server.address).header("X-A", value)
    #expect(try request.urlRequest().value(forHTTPHeaderField: "X-A") == value)
    _ = try await exchange.session.promise(for: request).value
    #expect(exchange.server.requests.first?["X-A"] == value)
  }

  @Test("Each method is sent by its name")
  func methods() async throws {
    let exchange = try Exchange { _ in .empty() }
    let url = exchange.server.address + "/{x}"
    let requests: [HTTPRequest] = [
      .get(url, ["x": 1]), .head(url, ["x": 2]), .post(url, ["x": 3]), .put(url, ["x": 4]), .patch(url, ["x": 5]),
      .delete(url, ["x": 6]), HTTPRequest(.options, url, ["x": 7]), HTTPRequest("PURGE", url, ["x": 8]),
      HTTPRequest(HTTPMethod(rawValue: "M-SEARCH"), url, ["x": 9]), HTTPRequest("purge", url, ["x": 10]),
    ]
    for request in requests { _ = try await exchange.session.promise(for: request).value }
    #expect(
      exchange.asked == [
        "GET /1", "HEAD /2", "POST /3", "PUT /4", "PATCH /5", "DELETE /6", "OPTIONS /7", "PURGE /8", "M-SEARCH /9",
        "purge /10",
      ])
  }

  @Test("Methods are equal if their names are equal, including the case")
  func equality() {
    #expect(HTTPMethod.get == "GET")
    #expect(HTTPMethod.get != "get")
    #expect("\(HTTPMethod.patch)" == "PATCH")
    #expect(Set([HTTPMethod.put, "PUT", HTTPMethod(rawValue: "PUT")]).count == 1)
  }

  @Test(
    "A method that is not a token is refused, and nothing is sent",
    arguments: ["", "GET ", "GET / HTTP/1.1\r\nX: y", "A B", "GÊT", "a\u{0}b", "(GET)"])
  func badMethod(_ name: String) async throws {
    let exchange = try Exchange { _ in .empty() }
    let promise = exchange.session.promise(for: HTTPRequest(HTTPMethod(rawValue: name), exchange.server.address))
    #expect(promise.isRejected)
    let error = await promise.failure
    guard case .invalidMethod(name) = error as? HTTPRequestError else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(exchange.server.requests.isEmpty)
  }

  // On Linux, Foundation refuses the body with the error dataLengthExceedsMaximum.
  @Test("A GET request with a body rejects with the session's error")
  func bodyOfGet() async throws {
    let exchange = try Exchange { _ in .empty() }
    #expect(await exchange.session.promise(for: .get(exchange.server.address).json(1)).failure is URLError)
    #expect(exchange.server.requests.isEmpty)
  }

  @Test("A DELETE request may have a body, and the response to HEAD may have none")
  func otherBodies() async throws {
    let exchange = try Exchange { .text($0.bodyText) }
    let request = HTTPRequest.delete(exchange.server.address).body(Data("why".utf8))
    #expect(try await exchange.session.promise(for: request).value.text == "why")
    let head = try await exchange.session.promise(for: .head(exchange.server.address)).value
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
  }
}
