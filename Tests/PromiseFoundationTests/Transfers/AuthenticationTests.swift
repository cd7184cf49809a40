import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Answers that want a credential", .bounded)
struct AuthenticationTests {
  /// How the body of the refusal is framed.
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

  @Test("row L9: 401 without a challenge is an answer like any other", arguments: Transfer.allCases, Body.allCases)
  func withoutChallenge(_ transfer: Transfer, _ body: Body) async throws {
    let (folder, exchange) = (try Folder(), try Exchange { _ in body.refusal(challenge: nil) })
    let begun = try transfer.begin(exchange.request(), in: exchange.session, folder: folder)
    #expect(try await begun.response.value.status == 401)
  }

  @Test(
    "row L9: 401 with a challenge that nobody answers comes back, and does not hang",
    arguments: Transfer.allCases, Body.allCases)
  func unanswered(_ transfer: Transfer, _ body: Body) async throws {
    let (folder, exchange) = (try Folder(), try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") })
    let begun = try transfer.begin(exchange.request(), in: exchange.session, folder: folder)
    let response = try await begun.response.value
    #expect(response.status == 401)
    #expect(response["WWW-Authenticate"] == "Basic realm=\"r\"")
    #expect(exchange.server.requests.count == 1)
  }

  @Test("row L9: the body of a 401 with a challenge comes back", arguments: Body.allCases)
  func body(_ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(response.status == 401)
    #expect(Array(data) == body.bytes)
  }

  @Test(
    "row L9: a challenge of any kind comes back",
    arguments: [Transfer.data, .download],
    [
      "Bearer", "Bearer error=\"invalid_token\"", "Negotiate", "Digest realm=\"r\", nonce=\"n\"", "Bearer realm=\"r\"",
      "", "basic REALM=r",
    ])
  func kinds(_ transfer: Transfer, _ challenge: String) async throws {
    let (folder, exchange) = (try Folder(), try Exchange { _ in Body.length.refusal(challenge: challenge) })
    let begun = try transfer.begin(exchange.request(), in: exchange.session, folder: folder)
    #expect(try await begun.response.value.status == 401)
  }

  @Test(
    "row L9: HEAD that is answered with 401 and a challenge comes back, and does not hang", arguments: Body.allCases)
  func head(_ body: Body) async throws {
    let exchange = try Exchange { _ in body.refusal(challenge: "Basic realm=\"r\"") }
    let (data, response) = try await exchange.session.promise(for: exchange.request(method: "HEAD")).value
    #expect(response.status == 401)
    #expect(data.isEmpty)
  }

  @Test(
    "row L9: a 401 with a challenge whose body is compressed comes back, and does not hang",
    arguments: Transfer.allCases)
  func compressed(_ transfer: Transfer) async throws {
    let headers = [("WWW-Authenticate", "Basic realm=\"r\""), ("Content-Encoding", "gzip")]
    let exchange = try Exchange { _ in Response(status: 401, headers: headers, pieces: [.bytes(gzipped)]) }
    let folder = try Folder()
    let begun = try transfer.begin(exchange.request(), in: exchange.session, folder: folder)
    #expect(try await begun.response.value.status == 401)
  }

  @Test(
    "row L9: a 401 with a challenge whose body does not arrive whole is rejected with the session's error",
    arguments: Transfer.allCases, [true, false])
  func cut(_ transfer: Transfer, _ isReset: Bool) async throws {
    let exchange = try Exchange { _ in
      Response(
        status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")],
        pieces: isReset ? [.text("who "), .cut] : [.text("who ")], framing: .length(100))
    }
    let folder = try Folder()
    let begun = try transfer.begin(exchange.request(), in: exchange.session, folder: folder)
    #expect(await begun.response.failure is URLError)
  }
}
