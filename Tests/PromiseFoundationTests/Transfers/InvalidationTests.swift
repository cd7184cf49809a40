import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Sessions that are invalidated", .bounded)
struct InvalidationTests {
  /// Sends a request in a session of its own, which is told to finish at once.
  private static func sendAndFinish(_ transfer: Transfer, to exchange: Exchange) throws -> Promise<URLResponse> {
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    return try transfer.begin(exchange.request(), in: session, folder: exchange.folder).response
  }

  @Test(
    "A request completes if its session is told to finish right after the promise is returned, on any thread",
    arguments: Transfer.allCases)
  func finishing(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .text("done") }
    let queue = DispatchQueue(label: "requests")
    for _ in 0..<20 { #expect(try await Self.sendAndFinish(transfer, to: exchange).value.status == 200) }
    let onMain = try await MainActor.run { try Self.sendAndFinish(transfer, to: exchange) }
    #expect(try await onMain.value.status == 200)
    let onQueue = try await Promise.run(on: queue) { try Self.sendAndFinish(transfer, to: exchange) }.value
    #expect(try await onQueue.value.status == 200)
  }

  @Test(
    "invalidateAndCancel rejects requests with URLError.cancelled, which is no cancellation",
    arguments: Transfer.allCases)
  func cancelling(_ transfer: Transfer) async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let configuration = URLSessionConfiguration.ephemeral
    // On a busy machine the usual timeout of a minute may pass before this test continues.
    configuration.timeoutIntervalForRequest = 600
    let session = URLSession(configuration: configuration)
    let begun = try transfer.begin(exchange.request(), in: session, folder: exchange.folder)
    try await unfinished.sent.value
    session.invalidateAndCancel()
    #expect((await begun.response.failure as? URLError)?.code == .cancelled)
    #expect(!begun.promise.isCancelled)
    #expect(begun.promise.isRejected)
    try await unfinished.left.value
  }

  #if canImport(FoundationNetworking)
    private final class Delegate: NSObject, URLSessionDelegate {
      let invalidated = Deferred<Void>()

      func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { invalidated.fulfill() }
    }

    /// Sends a request whose body is being written until the caller finishes it.
    private func begin(
      to address: String, delegate: Delegate? = nil
    ) -> (session: URLSession, body: AsyncStream<Data>.Continuation, promise: Promise<HTTPResponse>) {
      let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
      let (chunks, body) = AsyncStream<Data>.makeStream()
      body.yield(Data("text".utf8))
      return (session, body, session.promise(for: .post(address).body(chunks: chunks)))
    }

    @Test("A request completes if its session is told to finish while the body is being written")
    func finishingWhileWriting() async throws {
      let (server, delegate) = (try LoopbackServer { .text($0.bodyText) }, Delegate())
      let (session, body, promise) = begin(to: server.address, delegate: delegate)
      session.finishTasksAndInvalidate()
      // The session answers this after it was invalidated.
      await withCheckedContinuation { continuation in session.getAllTasks { _ in continuation.resume() } }
      #expect(promise.isPending)
      body.finish()
      #expect(try await promise.value.text == "text")
      try await delegate.invalidated.promise.value
    }

    @Test("invalidateAndCancel rejects a request whose body is being written, and ends the sequence of the body")
    func cancellingWhileWriting() async throws {
      let (server, ended) = (try LoopbackServer { _ in .text("never") }, Deferred<Void>())
      let (session, body, promise) = begin(to: server.address)
      body.onTermination = { _ in ended.fulfill() }
      session.invalidateAndCancel()
      try #require(await eventually { !promise.isPending })
      #expect((promise.error as? URLError)?.code == .cancelled)
      #expect(!promise.isCancelled)
      try await ended.promise.value
      #expect(server.requests.isEmpty)
    }

    @Test("A session can finish after a promise was cancelled while the body was being written")
    func cancelledWhileWriting() async throws {
      let (server, delegate) = (try LoopbackServer { _ in .text("never") }, Delegate())
      let (session, _, promise) = begin(to: server.address, delegate: delegate)
      promise.cancel()
      session.finishTasksAndInvalidate()
      try await delegate.invalidated.promise.value
      #expect(server.requests.isEmpty)
    }
  #endif
}
