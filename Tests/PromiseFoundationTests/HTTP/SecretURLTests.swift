import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Descriptions without secrets", .bounded)
struct SecretURLTests {
  /// Requests that hold `secret` wherever a URL can hold a secret.
  private static let unsendable: [HTTPRequest] = [
    .get("https://secret:secret@host/{x}?secret={y}#secret"), .get("https://secret@host/?secret", ["x": 1]),
    .get("https://secret:secret@host/{?secret"), .get("https://secret:secret@host/a/{x}?secret#secret", ["x": ".."]),
    .get("ftp://secret:secret@host/?secret"), .get("https://host:80/?secret a"), .get("secret:secret@host/?secret"),
    .get("https://s:ec/secret@host/"), .get("https://s:ec?secret@host/"), .get("https://s secret@host/"),
    .get("https://secret:secret@ho st/?secret"), .get("//secret:secret@host/"), .get("http:/secret:secret@host/"),
    .get("http:secret@host"), .get("host/path#secret"), .get("https://host?secret^"),
    .post("https://host").json(Unencodable()),
  ]

  private struct Unencodable: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws { throw "see https://secret@host/?secret" }
  }

  @Test("The error of a request that cannot be sent reveals no secret of its URL", arguments: 0..<17)
  func requestErrors(_ index: Int) throws {
    let error = try #require(throws: HTTPRequestError.self) { try Self.unsendable[index].urlRequest() }
    for text in ["\(error)", String(reflecting: error)] { #expect(!text.contains("secret"), "\(text)") }
    #expect(Self.unsendable.count == 17)
  }

  @Test("The error of a request that cannot be sent still shows its host and path")
  func recognizable() {
    let error = #expect(throws: HTTPRequestError.self) { try HTTPRequest.get("https://u:p@h/a/{x}?q").urlRequest() }
    #expect(error.map { "\($0)" } == "no value was given for {x} in the URL https://h/a/{x}?…")
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
    let error = try #require(await exchange.session.promise(for: .get(url)).failure)
    let text = "\(error)"
    #expect(text.hasPrefix("status 404 from \(exchange.server.address)/a?…: see https://host/?… and xxx"))
    #expect(!text.contains("secret"), "\(text)")
  }

  @Test(
    "The report of a session's error reveals no secret of its URL",
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
