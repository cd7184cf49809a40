import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Cancelled requests", .bounded)
struct TransferCancellationTests {
  /// The progress of the response when the request is cancelled.
  enum Stage: String, CaseIterable, Sendable {
    case beforeHead, beforeBody, insideBody, insideChunked

    /// Returns a response that stops at this stage.
    func stopped() -> UnfinishedResponse {
      switch self {
      case .beforeHead: UnfinishedResponse()
      case .beforeBody: UnfinishedResponse(framing: .length(100))
      case .insideBody: UnfinishedResponse([.bytes(pattern(50))], framing: .length(100))
      case .insideChunked: UnfinishedResponse([.bytes(pattern(50))], framing: .chunked)
      }
    }
  }

  @Test(
    "Cancelling ends the connection at every stage of the request", .rule("4.1"), arguments: Transfer.allCases,
    Stage.allCases)
  func connection(_ transfer: Transfer, _ stage: Stage) async throws {
    let stopped = stage.stopped()
    let exchange = try Exchange { _ in stopped.response }
    let begun = try exchange.begin(transfer)
    let caught = Log<any Error>()
    let end = begun.response.catch(on: .pool, caught.append)
    try await stopped.sent.value
    #expect(begun.promise.isPending)
    begun.promise.cancel()
    #expect(begun.promise.isCancelled)
    #expect(begun.response.isCancelled)
    try await stopped.left.value
    #expect(await end.failure is CancellationError)
    #expect(end.isCancelled)
    #expect(caught.entries.count == 1)
    #expect(caught.entries.first is CancellationError)
  }

  @Test(
    "The session's error for a cancelled request is reported neither as unhandled nor as a second settlement",
    .rule("1.3"),
    arguments: Transfer.allCases, Stage.allCases)
  func secondSettlement(_ transfer: Transfer, _ stage: Stage) async throws {
    let (reports, unhandled) = (Log<SecondSettlement>(), Log<UnhandledRejection>())
    let stopped = stage.stopped()
    let exchange = try Exchange { $0.target == "/next" ? .text("next") : stopped.response }
    let begun = try Diagnostics.scoped(
      unhandledRejection: unhandled.append, secondSettlement: reports.append
    ) { try exchange.begin(transfer) }
    try await stopped.sent.value
    begun.promise.cancel()
    try await stopped.left.value
    // The session finishes this request after it has ended the cancelled request.
    _ = try await exchange.session.promise(for: exchange.request("/next")).value
    #expect(reports.entries.isEmpty)
    #expect(unhandled.entries.isEmpty)
  }

  @Test("cancel(reason:) rejects with the given reason", .rule("1.2"), arguments: Transfer.allCases)
  func reason(_ transfer: Transfer) async throws {
    let stopped = UnfinishedResponse()
    let exchange = try Exchange { _ in stopped.response }
    let begun = try exchange.begin(transfer)
    try await stopped.sent.value
    begun.promise.cancel(reason: TestError(7))
    #expect(await begun.response.failure as? TestError == TestError(7))
    #expect(begun.promise.isCancelled)
    try await stopped.left.value
  }

  @Test("A request may be cancelled at once, and its session still works", .rule("4.1"), arguments: Transfer.allCases)
  func atOnce(_ transfer: Transfer) async throws {
    let exchange = try Exchange { $0.target == "/next" ? .text("next") : .silence }
    for _ in 0..<40 {
      let begun = try exchange.begin(transfer)
      begun.promise.cancel()
      #expect(await begun.response.failure is CancellationError)
    }
    #expect(try await exchange.session.promise(for: exchange.request("/next")).value.0 == Data("next".utf8))
    try await exchange.folder.waitUntilNothingIsWritten()
  }

  @Test("An upload that is cancelled while its body is sent rejects, and its handlers are released", .rule("4.1"))
  func whileSending() async throws {
    // The server reads the request and never answers.
    let (gone, exchange) = (Deferred<Void>(), try Exchange { _ in .silence })
    let promise = Promise<Void>.fulfilled(()).then(on: .pool) {
      let farewell = Farewell(gone)
      return try exchange.session.promise(
        for: exchange.request(method: "POST"), uploading: Data(count: 60_000_000)
      ).map(on: .pool) { _ in withExtendedLifetime(farewell) {} }
    }
    _ = try await ProgressLog(of: promise).first.value
    promise.cancel()
    #expect(promise.isCancelled)
    try await gone.promise.value
    #expect(await promise.failure is CancellationError)
  }

  @Test("Cancelling a fulfilled request changes nothing", .rule("4.1"), arguments: Transfer.allCases)
  func tooLate(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .text("done") }
    let begun = try exchange.begin(transfer)
    _ = try await begun.response.value
    begun.promise.cancel()
    #expect(!begun.promise.isCancelled)
    #expect(try await begun.response.value.status == 200)
  }
}
