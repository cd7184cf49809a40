import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("The progress of received bodies", .bounded)
struct TransferProgressTests {
  /// Returns a response with a body of 100 bytes. The last 75 bytes wait for the gate.
  private func slow(_ gate: Gate, framing: Response.Framing = .automatic) -> Response {
    Response(pieces: [.bytes(pattern(25)), .call { gate.wait() }, .bytes(pattern(75, from: 25))], framing: framing)
  }

  @Test("The progress is the share of the body that was received", .rule("5.1"), arguments: [Transfer.data, .download])
  func share(_ transfer: Transfer) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in slow(gate) }
    let begun = try exchange.begin(transfer)
    let log = ProgressLog(of: begun.response)
    #expect(try await log.first.value == 0.25)
    #expect(begun.promise.isPending)
    #expect(begun.promise.progress == 0.25)
    gate.open()
    #expect(try await log.whole().suffix(2) == [.progress(1), .fulfilled])
  }

  @Test(
    "A body of unknown length reports no progress before 1, which comes before the value", .rule("5.2"),
    arguments: [Transfer.data, .download], [Response.Framing.chunked, .untilClose])
  func unknownLength(_ transfer: Transfer, _ framing: Response.Framing) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in slow(gate, framing: framing) }
    let log = ProgressLog(of: try exchange.begin(transfer).response)
    gate.open()
    #expect(try await log.whole() == [.progress(1), .fulfilled])
  }

  @Test(
    "A request that fails leaves the progress at its last value", .rule("5.2"), arguments: [Transfer.data, .download])
  func failing(_ transfer: Transfer) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.bytes(pattern(25)), .call { gate.wait() }, .cut], framing: .length(100))
    }
    let begun = try exchange.begin(transfer)
    let log = ProgressLog(of: begun.response)
    #expect(try await log.first.value == 0.25)
    gate.open()
    #expect(try await log.whole() == [.progress(0.25), .rejected])
    #expect(begun.promise.progress == 0.25)
  }

  @Test(
    "The body of a redirection does not count towards the progress of the final response",
    arguments: [Transfer.data, .download])
  func redirected(_ transfer: Transfer) async throws {
    let gate = Gate()
    let exchange = try Exchange { request in
      if request.target == "/there" { return slow(gate) }
      return Response(status: 302, headers: [("Location", "/there")], pieces: [.bytes(pattern(60))])
    }
    let begun = try exchange.begin(transfer)
    let log = ProgressLog(of: begun.response)
    _ = try await log.first.value
    gate.open()
    let numbers = try await log.numbers()
    #expect(numbers.first == 0.25)
    #expect(numbers.last == 1)
  }

  @Test(
    "A compressed body reports no progress before 1, because its announced length is the compressed length",
    arguments: [Transfer.data, .download])
  func compressed(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in Response(headers: [("Content-Encoding", "gzip")], pieces: [.bytes(gzipped)]) }
    let begun = try exchange.begin(transfer)
    #expect(try await ProgressLog(of: begun.response).whole() == [.progress(1), .fulfilled])
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("who are you?".utf8)) }
  }
}
