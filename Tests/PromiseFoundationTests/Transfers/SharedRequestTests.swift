import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Consumers and lifetimes of requests", .leavingNothing, .bounded)
struct SharedRequestTests {
  /// Returns a server that fulfils `reached` when a request arrives, and answers `done` when the gate is open.
  private func holding(_ reached: Deferred<Void>, until gate: Gate) throws -> Exchange {
    try Exchange { _ in
      Response(
        pieces: [
          .call {
            reached.fulfill()
            gate.wait()
          }, .text("done"),
        ], framing: .length(4))
    }
  }

  @Test(
    "The connection of a request ends when its last consumer cancels upstream", .rule("4.4"),
    arguments: Transfer.allCases)
  func lastConsumer(_ transfer: Transfer) async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let begun = try exchange.begin(transfer)
    try await unfinished.sent.value
    begun.response.cancel(upstream: true)
    #expect(begun.promise.isCancelled)
    try await unfinished.left.value
  }

  @Test("A request continues if another consumer remains", .rule("4.6"), arguments: Transfer.allCases)
  func otherConsumer(_ transfer: Transfer) async throws {
    let (gate, reached) = (Gate(), Deferred<Void>())
    let exchange = try holding(reached, until: gate)
    let begun = try exchange.begin(transfer)
    let other = begun.response.map(on: .pool) { $0.status }
    let left = begun.response.map(on: .pool) { $0.status }
    try await reached.promise.value
    left.cancel(upstream: true)
    #expect(left.isCancelled)
    #expect(begun.promise.isPending)
    gate.open()
    #expect(try await other.value == 200)
  }

  @Test("Cancelling a derived promise does not end the request", .rule("4.2"), arguments: Transfer.allCases)
  func derived(_ transfer: Transfer) async throws {
    let (gate, reached) = (Gate(), Deferred<Void>())
    let exchange = try holding(reached, until: gate)
    let begun = try exchange.begin(transfer)
    try await reached.promise.value
    begun.response.cancel()
    #expect(begun.promise.isPending)
    gate.open()
    let done = Deferred<Void>()
    begun.promise.whenSettled { done.fulfill() }
    try await done.promise.value
    #expect(!begun.promise.isRejected)
  }

  @Test("A Task that is cancelled while it waits does not affect the request", .rule("4.7"))
  func waiter() async throws {
    let (gate, reached) = (Gate(), Deferred<Void>())
    let exchange = try holding(reached, until: gate)
    let promise = try exchange.session.promise(for: exchange.request())
    let waiter = Task { try await promise.value }
    try await reached.promise.value
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(promise.isPending)
    gate.open()
    #expect(try await promise.value.0 == Data("done".utf8))
  }

  @Test("cancel releases the captures of handlers before it returns", .rule("2.5"), arguments: Transfer.allCases)
  func captures(_ transfer: Transfer) async throws {
    let (census, unfinished) = (Tracked.Census(), UnfinishedResponse())
    let exchange = try Exchange { _ in unfinished.response }
    let begun = try exchange.begin(transfer)
    let chain = begun.response.map(on: .pool) { [payload = Tracked(census)] _ in withExtendedLifetime(payload) {} }
    try await unfinished.sent.value
    #expect(census.living == 1)
    begun.promise.cancel()
    #expect(census.living == 0)
    #expect(chain.isCancelled)
    try await unfinished.left.value
  }

  @Test("A request runs to its end even if no client retains its promise", .rule("6.1"))
  func unheld() async throws {
    let done = Deferred<Int>()
    let exchange = try Exchange { _ in .text("four") }
    try exchange.session.promise(for: exchange.request()).onFulfilled(on: .pool) { done.fulfill($0.0.count) }
    #expect(try await done.promise.value == 4)
  }

  /// The way in which a request ends.
  enum End: String, CaseIterable, Sendable {
    case fulfilled, rejected, cancelled, cancelledBySession
  }

  @Test(
    "A request that has ended releases the value that it has sent", .rule("6.3"), arguments: [true, false], End.allCases
  )
  func sentIsReleased(_ isDownload: Bool, _ end: End) async throws {
    let (gone, unfinished) = (Deferred<Void>(), UnfinishedResponse())
    let exchange = try Exchange { _ in
      switch end {
      case .fulfilled: .text("done")
      case .rejected: .cut
      case .cancelled, .cancelledBySession: unfinished.response
      }
    }
    let session = URLSession(configuration: .ephemeral)
    let promise = send(
      Farewell(gone), to: exchange.server.address, in: session, file: isDownload ? exchange.folder.file("in") : nil)
    if end == .cancelled || end == .cancelledBySession { try await unfinished.sent.value }
    if end == .cancelled { promise.cancel() }
    if end == .cancelledBySession { session.invalidateAndCancel() }
    try await gone.promise.value
    if end != .cancelledBySession { session.finishTasksAndInvalidate() }
  }

  /// Sends the farewell in a request, which is its only owner.
  private func send(_ farewell: Farewell, to address: String, in session: URLSession, file: URL?) -> AnyPromise {
    let request = HTTPRequest.post(address).json(LastWords(farewell: farewell))
    guard let file else { return session.promise(for: request) }
    return session.promise(for: request, downloadingTo: file)
  }

  private struct LastWords: Encodable, Sendable {
    let farewell: Farewell
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("bye")
    }
  }

  @Test(
    "A failed request that no consumer observes is reported when its promise is deallocated", .rule("7.1"),
    arguments: Transfer.allCases)
  func unhandled(_ transfer: Transfer) async throws {
    let reported = Deferred<UnhandledRejection>()
    let exchange = try Exchange { _ in .cut }
    let hook: @Sendable (UnhandledRejection) -> Void = { reported.fulfill($0) }
    try Diagnostics.scoped(unhandledRejection: hook) { _ = try exchange.begin(transfer) }
    #expect(try await reported.promise.value.error is URLError)
  }
}
