import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Redirections", .bounded)
struct RedirectTests {
  /// Redirects `/0` to `/1` and so on, up to the last number.
  private func exchange(_ status: Int, last: Int = 1, delegate: (any URLSessionDelegate)? = nil) throws -> Exchange {
    try Exchange(delegate: delegate) { request in
      let number = Int(request.target.dropFirst()) ?? 0
      return number == last ? .text("arrived") : .redirect(to: "/\(number + 1)", status: status)
    }
  }

  @Test(
    "A redirection is followed, and the response has the final URL",
    arguments: Transfer.allCases, [301, 302, 303, 307, 308])
  func followed(_ transfer: Transfer, _ status: Int) async throws {
    let exchange = try exchange(status)
    let begun = try exchange.begin(transfer, "/0")
    let response = try await begun.response.value
    #expect(response.status == 200)
    #expect(try response.url == exchange.url("/1"))
    #expect(exchange.asked.count == 2)
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("arrived".utf8)) }
  }

  @Test("A request redirected with 303 is repeated with GET and without the body")
  func seeOther() async throws {
    let exchange = try exchange(303)
    _ = try await exchange.session.promise(for: exchange.request("/0", method: "POST"), uploading: Data("body".utf8))
      .value
    #expect(exchange.asked == ["POST /0", "GET /1"])
    #expect(exchange.server.requests.map(\.bodyText) == ["body", ""])
  }

  @Test("A redirected HEAD request remains a HEAD request", arguments: [301, 302, 303, 307, 308])
  func head(_ status: Int) async throws {
    let exchange = try exchange(status)
    _ = try await exchange.session.promise(for: exchange.request("/0", method: "HEAD")).value
    #expect(exchange.asked == ["HEAD /0", "HEAD /1"])
  }

  // The body of this response is lost, because Foundation keeps the body of a redirection only if the delegate refuses
  // the redirection (Linux, Swift 6.3.1).
  @Test("A redirection without a location is itself the response", arguments: Transfer.allCases)
  func withoutLocation(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .text("where to?", status: 302) }
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 302)
    if transfer == .download { #expect(try exchange.folder.names == ["in"]) }
  }

  @Test("Endless redirections reject with httpTooManyRedirects", arguments: Transfer.allCases)
  func endless(_ transfer: Transfer) async throws {
    let exchange = try exchange(302, last: -1)
    let begun = try exchange.begin(transfer, "/0")
    #expect((await begun.response.failure as? URLError)?.code == .httpTooManyRedirects)
    #expect(try !exchange.folder.names.contains("in"))
  }

  @Test("Ten redirections are followed", arguments: Transfer.allCases)
  func ten(_ transfer: Transfer) async throws {
    let exchange = try exchange(302, last: 10)
    let begun = try exchange.begin(transfer, "/0")
    #expect(try await begun.response.value.url == exchange.url("/10"))
  }

  @Test(
    "A redirection to an unreachable server rejects with the session's error", arguments: [Transfer.data, .download])
  func nowhere(_ transfer: Transfer) async throws {
    let gone = try LoopbackServer { _ in .text("never") }
    gone.stop()
    let target = gone.address
    let exchange = try Exchange { _ in .redirect(to: target) }
    let begun = try exchange.begin(transfer)
    #expect((await begun.response.failure as? URLError)?.code == .cannotConnectToHost)
  }

  @Test(
    "The session's delegate is asked about redirections, and may refuse them",
    arguments: Transfer.allCases)
  func refused(_ transfer: Transfer) async throws {
    let delegate = AskedDelegate()
    let exchange = try exchange(302, delegate: delegate)
    let begun = try exchange.begin(transfer, "/0")
    let response = try await begun.response.value
    #expect(response.status == 302)
    #expect(delegate.redirections == ["302 /1"])
    #expect(exchange.asked.count == 1)
  }

  @Test("The session's delegate may send a redirection elsewhere", arguments: Transfer.allCases)
  func elsewhere(_ transfer: Transfer) async throws {
    let delegate = AskedDelegate(redirectsTo: "/5")
    let exchange = try exchange(302, last: 5, delegate: delegate)
    let begun = try exchange.begin(transfer, "/0")
    #expect(try await begun.response.value.url == exchange.url("/5"))
    #expect(delegate.redirections == ["302 /1"])
  }
}
