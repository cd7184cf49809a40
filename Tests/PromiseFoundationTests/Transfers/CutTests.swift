import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Connections that end too early", .bounded)
struct CutTests {
  /// The place and manner in which the connection ends. A name with `cut` means a reset, and a name with `closed` an
  /// orderly end.
  enum End: String, CaseIterable, Sendable {
    case cutBeforeHead, closedBeforeHead
    case cutInsideHead, closedInsideHead
    case cutBeforeBody, closedBeforeBody
    case cutInsideBody, closedInsideBody
    case cutInsideChunk, closedInsideChunk
    case cutBetweenChunks, closedBetweenChunks

    var response: Response {
      let isCut = rawValue.hasPrefix("cut")
      let text = "HTTP/1.1 200 OK\r\n"
      let written =
        switch self {
        case .cutBeforeHead, .closedBeforeHead: ""
        case .cutInsideHead, .closedInsideHead: text + "Content-Length: 5\r\nContent-Ty"
        case .cutBeforeBody, .closedBeforeBody: text + "Content-Length: 5\r\n\r\n"
        case .cutInsideBody, .closedInsideBody:
          text + "Content-Length: 500\r\n\r\n\(String(repeating: "a", count: 300))"
        case .cutInsideChunk, .closedInsideChunk: text + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\nabc"
        case .cutBetweenChunks, .closedBetweenChunks: text + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        }
      return Response(pieces: isCut ? [.text(written), .cut] : [.text(written)], framing: .raw)
    }
  }

  @Test(
    "A request whose connection ends too early rejects with the session's error",
    arguments: Transfer.allCases, End.allCases)
  func ends(_ transfer: Transfer, _ end: End) async throws {
    let exchange = try Exchange { _ in end.response }
    let begun = try exchange.begin(transfer)
    let failure = await begun.response.failure
    #expect(failure is URLError)
    #expect(!begun.promise.isCancelled)
    #expect(try !exchange.folder.names.contains("in"))
    #expect(try exchange.folder.names.allSatisfy { $0 == "out" })
  }

  @Test(
    "A request to an unreachable server rejects with cannotConnectToHost",
    arguments: Transfer.allCases)
  func refused(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .text("never") }
    exchange.server.stop()
    let begun = try exchange.begin(transfer)
    let failure = await begun.response.failure
    #expect((failure as? URLError)?.code == .cannotConnectToHost)
    #expect(begun.promise.progress == 0)
  }

  @Test(
    "A response that is not HTTP rejects with the session's error",
    arguments: ["hello\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/9 x\r\n\r\n"])
  func noHTTP(_ text: String) async throws {
    let exchange = try Exchange { _ in Response(pieces: [.text(text)], framing: .raw) }
    let failure = await (try exchange.session.promise(for: exchange.request())).failure
    #expect(failure is URLError)
  }

  @Test("A session still works after a request that failed")
  func goesOn() async throws {
    let exchange = try Exchange { $0.target == "/cut" ? .cut : .text("fine") }
    for _ in 0..<3 {
      #expect(await (try exchange.session.promise(for: exchange.request("/cut"))).failure is URLError)
      #expect(try await exchange.session.promise(for: exchange.request("/fine")).value.0 == Data("fine".utf8))
    }
  }
}
