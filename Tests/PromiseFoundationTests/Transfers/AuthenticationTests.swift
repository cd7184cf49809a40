import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Responses that require a credential", .bounded)
struct AuthenticationTests {
  /// The framing of the body of the refusal.
  enum Body: CaseIterable, Sendable {
    case empty
    case length
    case large
    case chunked
    case untilClose

    func refusal(challenge: String?) -> Response {
      let headers = challenge.map { [("WWW-Authenticate", $0)] } ?? []
      return switch self {
      case .empty: Response(status: 401, headers: headers)
      case .length: Response(status: 401, headers: headers, pieces: [.text("who "), .text("are you?")])
      case .large: Response(status: 401, headers: headers, pieces: [.bytes(pattern(200_000))])
      case .chunked: Response(status: 401, headers: headers, pieces: [.text("who")], framing: .chunked)
      case .untilClose: Response(status: 401, headers: headers, pieces: [.text("who")], framing: .untilClose)
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .empty: []
      case .chunked, .untilClose: Array("who".utf8)
      case .length: Array("who are you?".utf8)
      case .large: pattern(200_000)
      }
    }
  }

  @Test(
    "A 401 without a challenge fulfils the promise like any other response", arguments: Transfer.allCases, Body.allCases
  )
  func withoutChallenge(_ transfer: Transfer, _ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: nil) }
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 401)
  }

  @Test(
    "A 401 with an unanswered challenge fulfils the promise instead of hanging",
    arguments: Transfer.allCases, Body.allCases)
  func unanswered(_ transfer: Transfer, _ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") }
    let begun = try exchange.begin(transfer)
    let response = try await begun.response.value
    #expect(response.status == 401)
    #expect(response["WWW-Authenticate"] == "Basic realm=\"r\"")
    #expect(exchange.server.requests.count == 1)
  }

  @Test("A 401 with a challenge fulfils the promise with its body", arguments: Body.allCases)
  func body(_ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(response.status == 401)
    #expect(Array(data) == body.bytes)
  }

  @Test(
    "A 401 with any kind of challenge fulfils the promise",
    arguments: [Transfer.data, .download],
    [
      "Bearer", "Bearer error=\"invalid_token\"", "Negotiate", "Digest realm=\"r\", nonce=\"n\"", "Bearer realm=\"r\"",
      "", "basic REALM=r",
    ])
  func kinds(_ transfer: Transfer, _ challenge: String) async throws {
    let exchange = try Exchange { _ in Body.length.refusal(challenge: challenge) }
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 401)
  }

  @Test("A HEAD request that gets a 401 with a challenge is fulfilled instead of hanging", arguments: Body.allCases)
  func head(_ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") }
    let (data, response) = try await exchange.session.promise(for: exchange.request(method: "HEAD")).value
    #expect(response.status == 401)
    #expect(data.isEmpty)
  }

  @Test(
    "A 401 with a challenge and a compressed body fulfils the promise instead of hanging",
    arguments: Transfer.allCases)
  func compressed(_ transfer: Transfer) async throws {
    let headers = [("WWW-Authenticate", "Basic realm=\"r\""), ("Content-Encoding", "gzip")]
    let exchange = try Exchange { _ in Response(status: 401, headers: headers, pieces: [.bytes(gzipped)]) }
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 401)
  }

  @Test(
    "A 401 with a challenge and an incomplete body rejects with the session's error",
    arguments: Transfer.allCases, [true, false])
  func cut(_ transfer: Transfer, _ isReset: Bool) async throws {
    let exchange = try Exchange { _ in
      Response(
        status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")],
        pieces: isReset ? [.text("who "), .cut] : [.text("who ")], framing: .length(100))
    }
    let begun = try exchange.begin(transfer)
    #expect(await begun.response.failure is URLError)
  }
}
