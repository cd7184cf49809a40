import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Queries and forms", .bounded)
struct QueryTests {
  private func url(_ request: HTTPRequest) throws -> String? { try request.urlRequest().url?.absoluteString }

  @Test("Items are added to the query in order, and a name may occur several times")
  func order() throws {
    let request = HTTPRequest.get("http://host/a").query(["b": 1, "a": true, "b": 2.5]).query(["c": "x"])
    #expect(try url(request) == "http://host/a?b=1&a=true&b=2.5&c=x")
  }

  @Test(
    "The names and values of a query are escaped",
    arguments: [
      ("+", "%2B"), ("&", "%26"), ("=", "%3D"), ("#", "%23"), ("?", "%3F"), ("%", "%25"), (" ", "%20"), ("/", "%2F"),
      ("ü", "%C3%BC"), ("🙂", "%F0%9F%99%82"), ("a-b._~", "a-b._~"), ("", ""), (";", "%3B"), ("'", "%27"),
      ("{x}", "%7Bx%7D"),
      ("%41", "%2541"), ("\n", "%0A"),
    ])
  func escapes(_ text: String, _ escaped: String) throws {
    #expect(try url(HTTPRequest.get("http://host/").query(["k": text])) == "http://host/?k=\(escaped)")
    #expect(try url(HTTPRequest.get("http://host/").query([text: "v"])) == "http://host/?\(escaped)=v")
  }

  @Test(
    "Query items follow the URL's own query and precede its fragment",
    arguments: [
      ("http://host/a?x=1", "http://host/a?x=1&k=v"), ("http://host/a?x=%26", "http://host/a?x=%26&k=v"),
      ("http://host/a#f", "http://host/a?k=v#f"), ("http://host/a?x=1#f?g", "http://host/a?x=1&k=v#f?g"),
      ("http://host/a?", "http://host/a?k=v"), ("http://host", "http://host?k=v"),
      ("http://host?x", "http://host?x&k=v"),
      ("http://host/a%2Fb", "http://host/a%2Fb?k=v"),
    ])
  func existing(_ before: String, _ after: String) throws {
    #expect(try url(HTTPRequest.get(before).query(["k": "v"])) == after)
    #expect(try url(HTTPRequest.get(before).query([:])) == before)
  }

  @Test("The query reaches the server with its reserved characters escaped")
  func arriving() async throws {
    let exchange = try Exchange { .text($0.target) }
    let request = HTTPRequest.get(exchange.server.address + "/s?a=1#f").query(["q": "c++ & d=#?", "q": "%"])
    #expect(try await exchange.session.promise(for: request).value.text == "/s?a=1&q=c%2B%2B%20%26%20d%3D%23%3F&q=%25")
  }

  @Test(
    "A form is sent URL-encoded, with its content type",
    arguments: [
      ("a b", "a+b"), ("+", "%2B"), ("&=", "%26%3D"), ("ü", "%C3%BC"), ("*-._", "*-._"), ("~", "%7E"),
      ("\r\n", "%0D%0A"),
      ("", ""),
    ])
  func forms(_ value: String, _ escaped: String) async throws {
    let exchange = try Exchange { .text($0.bodyText) }
    let request = HTTPRequest.post(exchange.server.address).form(["k": value, value: 1, "k": "2"])
    #expect(try await exchange.session.promise(for: request).value.text == "k=\(escaped)&\(escaped)=1&k=2")
    #expect(exchange.server.requests.first?["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test("A form without fields has an empty body")
  func emptyForm() async throws {
    let exchange = try Exchange { .text("[\($0.bodyText)]") }
    #expect(try await exchange.session.promise(for: .post(exchange.server.address).form([:])).value.text == "[]")
  }
}
