import Testing

@testable import PromiseHTTP

/// A value that cannot be encoded.
private struct Unencodable: Encodable, Sendable {
  let error: any Error
  func encode(to encoder: any Encoder) throws { throw error }
}

@Suite("Descriptions of HTTP errors", .bounded) struct HTTPDescriptionTests {
  @Test("The error of a request describes its cause in one line, even if the invalid text has several lines")
  func requests() throws {
    let url = "http://host/{x}"
    let bad = Unencodable(error: TestError(3))
    let cases: [(HTTPRequest, String)] = [
      (.get(url), "no value was given for {x} in the URL http://host/{x}"),
      (.get(url, ["x": 1, "y": 2]), "a value was given for \"y\", and there is no {y} in the URL http://host/{x}"),
      (.get("http://host/{x"), "a brace without the other in the URL http://host/{x"),
      (.get("ftp://host/"), "not an http or https URL: ftp://host/"),
      (.get("http://host").header("a b", ""), "not the name of a header: \"a b\""),
      (.get("http://host").header("", "a"), "not the name of a header: \"\""),
      (.get("http://host").header("a", "\u{1}"), "the value of the header \"a\" has a control character"),
      (
        .get("http://host").multipart([.data("a", Data(), type: "\n")]),
        "the value of the header \"Content-Type\" has a control character"
      ),
      (HTTPRequest("A B", "http://host"), "not a method: \"A B\""),
      (.post("http://host").json(bad), "the body could not be encoded as JSON: TestError(number: 3)"),
    ]
    for (request, text) in cases { #expect(request.refusal.map { "\($0)" } == text) }
    let requests: [HTTPRequest] = [
      .get("http://host/\n"), .get("http://host/\r\n"), .get("http://host/{x"), .get("http://host/\n{x}"),
      .get("http://host/\n", ["x\n": 1]), .get("http://host/{"), .get("http://host").header("a\r\nb", ""),
      HTTPRequest("A\nB", "http://host"), .post("http://host").json(Unencodable(error: "first\nsecond")),
    ]
    for request in requests {
      let text = "\(try #require(request.refusal))"
      #expect(!text.contains { $0.isNewline }, "\(text)")
    }
  }

  @Test(
    "The error of a text that is not a URL describes what is wrong with it",
    arguments: [
      ("", "not an http or https URL: "), ("host/a", "not an http or https URL: host/a"),
      ("http", "not an http or https URL: http"), ("httpx://host", "not an http or https URL: httpx://host"),
      ("http://host/a b", "a space in the URL, which must be written as %20: http://host/a b"),
      (" http://host", "a space in the URL, which must be written as %20:  http://host"),
      ("http://host/a?b c", "a space in the URL, which must be written as %20: http://host/a?…"),
      ("http://host/grüße", "a character in the URL must be escaped: http://host/grüße"),
      ("http://host/a\tb", "a character in the URL must be escaped: http://host/a\tb"),
      ("http://host/^", "a character in the URL must be escaped: http://host/^"),
      ("http://host/100%", "a % in the URL without two hexadecimal digits after it: http://host/100%"),
      ("http://host/%zz", "a % in the URL without two hexadecimal digits after it: http://host/%zz"),
      ("http:", "no host in the URL: http:"), ("HTTP://?q", "no host in the URL: HTTP://?…"),
      ("http://user@:80/", "no host in the URL: http://:80/"), ("https:/host", "no host in the URL: https:/host"),
      ("http://host:port/", "not a valid URL: http://host:port/"), ("http://[::1/", "not a valid URL: http://[::1/"),
    ])
  func invalidURLs(_ text: String, _ description: String) {
    #expect(HTTPRequest.get(text).refusal.map { "\($0)" } == description)
  }

  private func answer(_ status: Int, _ type: String?, _ body: String) async throws -> (text: String, url: String) {
    let exchange = try Exchange { _ in
      Response(status: status, headers: type.map { [("Content-Type", $0)] } ?? [], pieces: [.text(body)])
    }
    let promise = exchange.session.promise(for: .get(exchange.server.address + "/a"), decoding: [Int].self)
    let error = try #require(await promise.awaitedError as? HTTPError)
    return (error.description, exchange.server.address + "/a")
  }

  @Test("The error of a response describes its cause, the URL and the beginning of the body in one line")
  func answers() async throws {
    var (text, url) = try await answer(404, "text/plain", "no such\r\n\nthing\n")
    #expect(text == "status 404 from \(url): no such thing")
    (text, url) = try await answer(500, nil, "")
    #expect(text == "status 500 from \(url)")
    (text, url) = try await answer(200, "text/html; charset=utf-8", "<p>")
    #expect(text == "not JSON but text/html, from \(url): <p>")
    (text, url) = try await answer(200, nil, "<p>")
    #expect(text == "not JSON but without a content type, from \(url): <p>")
    (text, url) = try await answer(204, nil, "")
    #expect(text == "nothing to decode, status 204, from \(url)")
  }

  @Test("The error of a response shows at most 120 characters of the body", arguments: [119, 120, 121, 100_000])
  func excerpt(_ count: Int) async throws {
    let body = String(repeating: "ü", count: count)
    let (text, url) = try await answer(404, "text/plain", body)
    #expect(text == "status 404 from \(url): \(body.prefix(120))\(count > 120 ? "…" : "")")
  }

  @Test("The beginning of a large body is shown whole characters only, and URLs without their secrets")
  func largeBody() throws {
    func text(_ body: String) throws -> String {
      "\(HTTPError.status(try response(url: "http://host/a", status: 404, body: Data(body.utf8))))"
    }
    // One character of many bytes, so that the limit for bytes comes before that for characters.
    let letter = "e" + String(repeating: "\u{301}", count: 50)
    for start in ["", "a", "ab"] {
      let shown = try text(start + String(repeating: letter, count: 1_000))
      #expect(shown.hasPrefix("status 404 from http://host/a: \(start)\(letter)"))
      #expect(shown.hasSuffix("…"))
      #expect(!shown.contains("\u{FFFD}"))
    }
    let secret = "key=" + String(repeating: "1", count: 10_000)
    #expect(try text("see https://u:pw@host/a?\(secret)") == "status 404 from http://host/a: see https://host/a?…")
  }

  #if os(Linux)
    @Test("The description of a body of 100 MB takes little memory")
    func memory() async {
      await #expect(processExitsWith: .success) {
        let error = HTTPError.status(try response(status: 404, body: Data(count: 100 << 20)))
        let before = try mostResidentBytes()
        #expect(error.description.hasSuffix("\0…"))
        #expect(try mostResidentBytes() - before < 16 << 20)
      }
    }
  #endif

  @Test(
    "The error of an undecodable response is one line with the URL and the body",
    arguments: ["{", "{\n\n\"a\": 1}", "[\"a\"]", "[1,\n\"b\\nc\"]"])
  func undecodable(_ body: String) async throws {
    let (text, url) = try await answer(200, "application/json", body)
    #expect(text.hasPrefix("JSON from \(url) could not be decoded: "))
    #expect(!text.contains { $0.isNewline }, "\(text)")
    #expect(text.hasSuffix(": " + body.split(whereSeparator: \.isNewline).joined(separator: " ")))
  }

  @Test("A response of another protocol is described as no HTTP response")
  func notHTTP() throws {
    let url = try #require(URL(string: "data:,a"))
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    #expect("\(HTTPError.notHTTP(response))" == "no HTTP response from data:,a")
    #expect(HTTPError.notHTTP(response).response == nil)
  }
}

@Suite("Descriptions without secrets", .bounded) struct SecretURLTests {
  /// Requests that hold `secret` wherever a URL can hold a secret.
  private static let unsendable: [HTTPRequest] = [
    .get("https://secret:secret@host/{x}?secret={y}#secret"), .get("https://secret@host/?secret", ["x": 1]),
    .get("https://secret:secret@host/{?secret"), .get("https://secret:secret@host/a/{x}?secret#secret", ["x": ".."]),
    .get("ftp://secret:secret@host/?secret"), .get("https://host:80/?secret a"), .get("secret:secret@host/?secret"),
    .get("https://s:ec/secret@host/"), .get("https://s:ec?secret@host/"), .get("https://s secret@host/"),
    .get("https://secret:secret@ho st/?secret"), .get("//secret:secret@host/"), .get("http:/secret:secret@host/"),
    .get("http:secret@host"), .get("host/path#secret"), .get("https://host?secret^"),
    .post("https://host").json(Unencodable(error: "see https://secret@host/?secret")),
  ]

  @Test("The error of a request that cannot be sent reveals no secret of its URL", arguments: 0..<17)
  func requestErrors(_ index: Int) throws {
    let error = try #require(Self.unsendable[index].refusal as? HTTPRequestError)
    for text in ["\(error)", String(reflecting: error)] { #expect(!text.contains("secret"), "\(text)") }
    #expect(Self.unsendable.count == 17)
  }

  @Test("Requests and responses describe themselves in one line without secrets")
  func values() async throws {
    let request = HTTPRequest.post("https://secret:secret@host/{x}?secret", ["x": "a b"])
      .header("Authorization", "secret").body(Data("secret".utf8)).query(["secret": "secret"])
    #expect("\(request)" == "POST https://host/a%20b?…")
    #expect("\(HTTPRequest.get("https://secret@host/{x}"))" == "GET https://host/{x}")
    #expect("\(HTTPRequest.get("https://host/a").query(["secret": 1]))" == "GET https://host/a?…")
    let exchange = try Exchange { _ in
      Response(headers: [("Set-Cookie", "secret")], pieces: [.text("secret")])
    }
    let url = exchange.server.address.replacing("://", with: "://secret:secret@")
    let promise = exchange.session.promise(for: .get("\(url)/a?secret#secret"))
    let response = try await promise.value
    let text = "status 200 from \(exchange.server.address)/a?…, 6 bytes"
    #expect("\(response)" == text)
    #expect(promise.debugDescription.contains("fulfilled: \(text)"))
  }

  @Test("The error of a response reveals no secret of its URL or of the URLs in its body")
  func answerErrors() async throws {
    // The text of the error ends after 120 characters of the body, inside the second URL.
    let filler = String(repeating: "x", count: 57)
    let body = "see https://secret:secret@host/?secret and \(filler) https://secretive:secret@h"
    let exchange = try Exchange { _ in .text(body, status: 404) }
    let url = exchange.server.address.replacing("://", with: "://secret:secret@") + "/a?secret#secret"
    let error = try #require(await exchange.session.promise(for: .get(url)).awaitedError)
    let text = "\(error)"
    #expect(text.hasPrefix("status 404 from \(exchange.server.address)/a?…: see https://host/?… and xxx"))
    #expect(!text.contains("secret"), "\(text)")
  }

  @Test(
    "A failed request that no consumer observes is reported, and the report reveals no secret of its URL", .rule("7.1"),
    arguments: Transfer.allCases)
  func reports(_ transfer: Transfer) async throws {
    let reported = Deferred<UnhandledRejection>()
    let exchange = try Exchange { _ in .cut }
    let address = exchange.server.address.replacing("://", with: "://secret:secret@") + "/a?secret#secret"
    let request = URLRequest(url: try #require(URL(string: address)))
    let hook: @Sendable (UnhandledRejection) -> Void = { reported.fulfill($0) }
    try Diagnostics.scoped(unhandledRejection: hook) {
      _ = try transfer.begin(request, in: exchange.session, folder: exchange.folder)
    }
    let report = try await reported.promise.value
    #expect(!report.description.contains("secret"), "\(report)")
    let rejected = Promise<Int>.rejected(report.error)
    #expect(!rejected.debugDescription.contains("secret"))
    // The error itself is that of the session, unchanged.
    #expect((report.error as? URLError)?.failingURL?.absoluteString == address)
  }
}

@Suite("Localized descriptions of errors of requests") struct LocalizedErrorTests {
  private static let errors: [any Error] = [
    HTTPRequestError.invalidURL("x y"), TransferError.bodyTooLarge(limit: 1, url: nil),
  ]

  @Test("localizedDescription is the description of the error", arguments: 0..<errors.count)
  func localized(index: Int) {
    let error = Self.errors[index]
    #expect(error.localizedDescription == "\(error)")
    #expect(!error.localizedDescription.contains("could not be completed"))
  }
}
