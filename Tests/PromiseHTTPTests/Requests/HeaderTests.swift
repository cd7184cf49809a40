import PromiseHTTP
import Testing

@Suite("Headers and methods", .bounded) struct HTTPHeaderTests {
  @Test("A header that is set again replaces the former value, regardless of case")
  func set() async throws {
    let seen = try await received {
      .get($0).header("X-One", "1").header("X-Two", "a, b; c=\"d\"").header("x-ONE", "2")
        .header("Authorization", "Bearer t")
    }
    #expect(seen.headers.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["2"])
    #expect([seen["X-Two"], seen["Authorization"]] == ["a, b; c=\"d\"", "Bearer t"])
  }

  @Test(
    "A header value with a control character is refused",
    arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "\r\n", "a\u{0}b", "\u{1F}", "a\u{7F}"])
  func injection(_ value: String) {
    let request = HTTPRequest.post("http://host")
    #expect(request.header("X-A", value).refusal?.caseName == "HTTPRequestError.invalidHeader")
    #expect(request.body(Data([1]), type: value).refusal?.caseName == "HTTPRequestError.invalidHeader")
    let form = request.multipart([.data("a", Data(), type: value)])
    #expect(form.refusal?.caseName == "HTTPRequestError.invalidHeader")
  }

  @Test(
    "A method or a header name that is not a token is refused",
    arguments: [
      "", " ", "X A", "X:", "X-A\r\nX-Evil", "X\u{0}", "Ä", "a\tb", "(a)", "a@b", "١", "a\u{301}", "GET ",
      "GET / HTTP/1.1\r\nX: y", "GÊT", "a\u{0}b",
    ])
  func notToken(_ name: String) {
    let request = HTTPRequest(HTTPMethod(rawValue: name), "http://host")
    #expect(request.refusal?.caseName == "HTTPRequestError.invalidMethod")
    #expect(HTTPRequest.get("http://host").header(name, "v").refusal?.caseName == "HTTPRequestError.invalidHeader")
  }

  @Test("A header value may be empty or contain tabs, spaces and umlauts", arguments: ["a\tb", "a  b", "grüß", ""])
  func values(_ value: String) async throws {
    let seen = try await received { .get($0).header("X-A", value) }
    #expect(seen["X-A"] == value)
  }

  @Test(
    "White space around a header value is not sent, and a header with nothing else is sent without a value",
    arguments: [(" a ", "a"), ("\ta b\t", "a b"), (" ", ""), ("\t", "")])
  func blanks(_ value: String, _ sent: String) async throws {
    let seen = try await received { .post($0).header("X-A", value).body(Data([1]), type: value) }
    #expect(seen["X-A"] == sent)
    #expect(seen["Content-Type"] == sent)
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
}

@Suite("Queries and forms", .bounded) struct QueryTests {
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
      ("{x}", "%7Bx%7D"), ("%41", "%2541"), ("\n", "%0A"),
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
      ("http://host?x", "http://host?x&k=v"), ("http://host/a%2Fb", "http://host/a%2Fb?k=v"),
    ])
  func existing(_ before: String, _ after: String) throws {
    #expect(try url(HTTPRequest.get(before).query(["k": "v"])) == after)
    #expect(try url(HTTPRequest.get(before).query([:])) == before)
  }

  @Test(
    "A form is sent URL-encoded, with its content type",
    arguments: [
      ("a b", "a+b"), ("+", "%2B"), ("&=", "%26%3D"), ("ü", "%C3%BC"), ("*-._", "*-._"), ("~", "%7E"),
      ("\r\n", "%0D%0A"), ("", ""),
    ])
  func forms(_ value: String, _ escaped: String) async throws {
    let seen = try await received { .post($0).form(["k": value, value: 1, "k": "2"]) }
    #expect(seen.bodyText == "k=\(escaped)&\(escaped)=1&k=2")
    #expect(seen["Content-Type"] == "application/x-www-form-urlencoded")
  }
}
