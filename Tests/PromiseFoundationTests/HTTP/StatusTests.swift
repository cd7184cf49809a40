import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Statuses that a request accepts", .bounded)
struct HTTPStatusTests {
  @Test("A status from 200 to 299 fulfils with the whole response", arguments: [200, 201, 202, 203, 206, 226, 299])
  func accepted(_ status: Int) async throws {
    let exchange = try Exchange { _ in
      Response(
        status: status, headers: [("Content-Type", "Text/HTML; charset=utf-8"), ("X-A", "b")], pieces: [.text("grüß")])
    }
    let response = try await exchange.session.promise(for: .get(exchange.server.address + "/a")).value
    #expect(response.status == status)
    #expect(response.text == "grüß")
    #expect(response.body == Data("grüß".utf8))
    #expect(response["x-a"] == "b")
    #expect(response["X-B"] == nil)
    #expect(response.contentType == "text/html")
    #expect(try response.url == exchange.url("/a"))
  }

  @Test("A response without a body has an empty body and no content type", arguments: [204, 205])
  func bodiless(_ status: Int) async throws {
    let exchange = try Exchange { _ in .empty(status: status) }
    let response = try await exchange.session.promise(for: .delete(exchange.server.address)).value
    #expect(response.status == status)
    #expect(response.body.isEmpty)
    #expect(response.text == "")
    #expect(response.contentType == nil)
  }

  @Test(
    "Any other status rejects with HTTPError.status, which has the whole response",
    arguments: [300, 304, 400, 401, 403, 404, 409, 418, 429, 500, 503, 599])
  func refused(_ status: Int) async throws {
    let exchange = try Exchange { _ in
      status == 304 ? .empty(status: 304) : .json(#"{"reason": "because"}"#, status: status)
    }
    let error = await exchange.session.promise(for: .get(exchange.server.address)).failure
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    if status != 304 { #expect(try response.decoded(as: [String: String].self) == ["reason": "because"]) }
  }

  @Test(
    "accepting replaces the default range of accepted statuses",
    arguments: [(404, true), (200, false), (405, false), (399, false)])
  func accepting(_ status: Int, _ isAccepted: Bool) async throws {
    let exchange = try Exchange { _ in .text("body", status: status) }
    let request = HTTPRequest.get(exchange.server.address).accepting(400...404)
    let promise = exchange.session.promise(for: request)
    if isAccepted {
      #expect(try await promise.value.status == status)
    } else {
      #expect((await promise.failure as? HTTPError)?.response?.status == status)
    }
  }

  @Test("Only the last call of accepting counts")
  func acceptingTwice() async throws {
    let exchange = try Exchange { _ in .text("body", status: 404) }
    let request = HTTPRequest.get(exchange.server.address).accepting(404...404).accepting(100...599)
    #expect(try await exchange.session.promise(for: request).value.status == 404)
  }

  @Test("A 401 with a challenge rejects like any other refused status, with its body")
  func unauthorised() async throws {
    let exchange = try Exchange { _ in
      Response(status: 401, headers: [("WWW-Authenticate", "Bearer realm=\"r\"")], pieces: [.text("expired")])
    }
    let error = await exchange.session.promise(for: .get(exchange.server.address)).failure
    #expect((error as? HTTPError)?.response?.text == "expired")
    #expect((error as? HTTPError)?.response?.status == 401)
  }

  @Test("A request without a response rejects with the session's error")
  func noAnswer() async throws {
    let exchange = try Exchange { _ in .cut }
    #expect(await exchange.session.promise(for: .get(exchange.server.address)).failure is URLError)
  }

  @Test(
    "The progress is the share of the body that was received, even if the status is refused", .rule("5.1"),
    arguments: [200, 404])
  func progress(_ status: Int) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(status: status, pieces: [.bytes(pattern(30)), .call { gate.wait() }, .bytes(pattern(10))])
    }
    let promise = exchange.session.promise(for: .get(exchange.server.address))
    let log = ProgressLog(of: promise)
    #expect(try await log.first.value == 0.75)
    gate.open()
    #expect(try await log.whole().last == (status == 200 ? .fulfilled : .rejected))
  }

  @Test("Cancelling a request ends its connection", .rule("4.1"), arguments: [true, false])
  func cancelled(_ isDecoding: Bool) async throws {
    let unfinished = UnfinishedResponse(
      [.text("[1")], headers: [("Content-Type", "application/json")], framing: .length(20))
    let exchange = try Exchange { _ in unfinished.response }
    let request = HTTPRequest.get(exchange.server.address)
    let promise: AnyPromise =
      isDecoding
      ? exchange.session.promise(for: request, decoding: [Int].self) : exchange.session.promise(for: request)
    try await unfinished.sent.value
    promise.cancel(upstream: true)
    #expect(promise.isCancelled)
    try await unfinished.left.value
  }
}
