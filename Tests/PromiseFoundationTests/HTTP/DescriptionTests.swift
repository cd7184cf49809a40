import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Descriptions of HTTP errors", .bounded)
struct HTTPDescriptionTests {
  private func error(_ request: HTTPRequest) async throws -> String {
    do {
      _ = try request.urlRequest()
      return "none"
    } catch { return "\(error)" }
  }

  @Test("The error of a request describes its cause in one line")
  func requests() async throws {
    let url = "http://host/{x}"
    #expect(try await error(.get(url)) == "no value was given for {x} in the URL http://host/{x}")
    #expect(
      try await error(.get(url, ["x": 1, "y": 2]))
        == "a value was given for \"y\", and there is no {y} in the URL http://host/{x}")
    #expect(try await error(.get("http://host/{x")) == "a brace without the other in the URL http://host/{x")
    #expect(try await error(.get("ftp://host/")) == "not an http or https URL: ftp://host/")
    #expect(
      try await error(.get("http://host").header("a b", ""))
        == "the name or the value of the header \"a b\" has characters that none may have")
    #expect(try await error(HTTPRequest("A B", "http://host")) == "not a method: \"A B\"")
    struct Bad: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw TestError(3) }
    }
    #expect(
      try await error(.post("http://host").json(Bad())) == "the body could not be encoded as JSON: TestError(number: 3)"
    )
  }

  @Test("The error of a request is one line even if the invalid text has several lines")
  func lines() async throws {
    struct Bad: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw "first\nsecond" }
    }
    let requests: [HTTPRequest] = [
      .get("http://host/\n"), .get("http://host/\r\n"), .get("http://host/{x"), .get("http://host/\n{x}"),
      .get("http://host/\n", ["x\n": 1]), .get("http://host/{"), .get("http://host").header("a\r\nb", ""),
      HTTPRequest("A\nB", "http://host"), .post("http://host").json(Bad()),
    ]
    for request in requests {
      let text = try await error(request)
      #expect(text != "none")
      #expect(!text.contains { $0.isNewline }, "\(text)")
    }
  }

  private func answer(
    _ status: Int, _ type: String?, _ body: String, decoding: Bool = true
  ) async throws -> (text: String, url: String) {
    let exchange = try Exchange { _ in
      Response(status: status, headers: type.map { [("Content-Type", $0)] } ?? [], pieces: [.text(body)])
    }
    let promise = exchange.session.promise(for: .get(exchange.server.address + "/a"), decoding: [Int].self)
    let error = try #require(await promise.failure as? HTTPError)
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

  @Test(
    "The error of a response shows at most the first 120 characters of the body", arguments: [119, 120, 121, 100_000])
  func excerpt(_ count: Int) async throws {
    let body = String(repeating: "ü", count: count)
    let (text, url) = try await answer(404, "text/plain", body)
    #expect(text == "status 404 from \(url): \(body.prefix(120))\(count > 120 ? "…" : "")")
  }

  @Test("The beginning of a large body is shown whole characters only, and URLs without their secrets")
  func largeBody() throws {
    let url = try #require(URL(string: "http://host/a"))
    let head = try #require(HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
    func text(_ body: String) throws -> String {
      "\(HTTPError.status(try HTTPResponse(head, body: Data(body.utf8))))"
    }
    // One character of many bytes, so that the limit for bytes comes before that for characters.
    let letter = "e" + String(repeating: "\u{301}", count: 50)
    for start in ["", "a", "ab"] {
      let shown = try text(start + String(repeating: letter, count: 1_000))
      #expect(shown.hasPrefix("status 404 from http://host/a: \(start)\(letter)"))
      #expect(shown.hasSuffix("…") && !shown.contains("\u{FFFD}"))
    }
    let secret = "key=" + String(repeating: "1", count: 10_000)
    #expect(try text("see https://u:pw@host/a?\(secret)") == "status 404 from http://host/a: see https://host/a?…")
  }

  #if os(Linux)
    @Test("The description of a body of 100 MB takes little memory")
    func memory() async {
      await #expect(processExitsWith: .success) {
        let url = try #require(URL(string: "http://host/a"))
        let head = try #require(HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
        let error = HTTPError.status(try HTTPResponse(head, body: Data(count: 100 << 20)))
        let before = try mostResidentBytes()
        #expect(error.description.hasSuffix("\0…"))
        let growth = try mostResidentBytes() - before
        #expect(growth < 16 << 20)
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
