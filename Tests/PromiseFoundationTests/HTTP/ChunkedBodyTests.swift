import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Bodies that are asynchronous sequences", .bounded)
struct ChunkedBodyTests {
  /// Chunks that a closure makes, one for each call. Each iterator begins anew.
  private struct Chunks: AsyncSequence, Sendable {
    let make: @Sendable (_ number: Int) async throws -> Data?

    func makeAsyncIterator() -> Iterator { Iterator(make: make) }

    struct Iterator: AsyncIteratorProtocol {
      let make: @Sendable (Int) async throws -> Data?
      private var number = 0

      init(make: @escaping @Sendable (Int) async throws -> Data?) { self.make = make }

      mutating func next() async throws -> Data? {
        defer { number += 1 }
        return try await make(number)
      }
    }
  }

  private static let pieces = [Data("first".utf8), Data(), Data(pattern(100_000)), Data("last".utf8)]
  private static let whole = Array(pieces.joined())
  private static let chunks = Chunks { $0 < pieces.count ? pieces[$0] : nil }

  @Test("The chunks are sent in order, each time that the request is sent")
  func whole() async throws {
    let exchange = try Exchange { .text("\($0.body.count)") }
    let request = HTTPRequest.post(exchange.server.address).body(chunks: Self.chunks, type: "text/x")
    for _ in 0..<2 { #expect(try await exchange.session.promise(for: request).value.text == "\(Self.whole.count)") }
    let stream = try await exchange.session.stream(for: request).value
    for try await line in stream.lines { #expect(line == "\(Self.whole.count)") }
    #expect(exchange.asked.count == 3)
    for seen in exchange.server.requests {
      #expect(seen.body == Self.whole)
      #expect(seen["Content-Type"] == "text/x")
      #expect(seen["Content-Length"] == "\(Self.whole.count)")
    }
  }

  @Test("A sequence without chunks sends an empty body")
  func empty() async throws {
    let exchange = try Exchange { .text("\($0.body.count)") }
    let request = HTTPRequest.post(exchange.server.address).body(chunks: Chunks { _ in nil })
    #expect(try await exchange.session.promise(for: request).value.text == "0")
  }

  @Test("Cancelling the promise cancels the Task of the sequence, and nothing is sent", .rule("4.1"))
  func cancelled() async throws {
    let (waiting, ended, never) = (Deferred<Void>(), Deferred<Void>(), Deferred<Void>())
    let exchange = try Exchange { _ in .empty() }
    let chunks = Chunks { number in
      if number == 0 { return Data("a".utf8) }
      waiting.fulfill()
      defer { ended.fulfill() }
      // Only the cancellation of the Task ends this.
      try await never.promise.value
      return nil
    }
    let promise = exchange.session.promise(for: .post(exchange.server.address).body(chunks: chunks))
    try await waiting.promise.value
    promise.cancel()
    #expect(await promise.failure is CancellationError)
    try await ended.promise.value
    #expect(exchange.asked.isEmpty)
  }

  @Test("An error of the sequence rejects, and nothing is sent", arguments: [false, true])
  func failing(_ isStreamed: Bool) async throws {
    let exchange = try Exchange { _ in .empty() }
    let chunks = Chunks { number in
      if number == 1 { throw TestError(5) }
      return Data("a".utf8)
    }
    let request = HTTPRequest.post(exchange.server.address).body(chunks: chunks)
    let error =
      isStreamed
      ? await exchange.session.stream(for: request).failure : await exchange.session.promise(for: request).failure
    #expect(error as? TestError == TestError(5))
    #expect(exchange.asked.isEmpty)
  }

  @Test("The body is sent again after a redirection")
  func redirected() async throws {
    let exchange = try Exchange { $0.path == "/old" ? .redirect(to: "/new", status: 307) : .empty() }
    let request = HTTPRequest.post(exchange.server.address + "/old").body(chunks: Self.chunks)
    _ = try await exchange.session.promise(for: request).value
    #expect(exchange.server.requests.map(\.body.count) == [Self.whole.count, Self.whole.count])
  }

  #if canImport(FoundationNetworking)
    @Test("A body of 300 MB is not gathered in memory to be sent", .slow)
    func memory() async {
      await #expect(processExitsWith: .success) {
        // The server refuses the body because of its length, and so does not keep it in this process.
        let server = try LoopbackServer(bodyLimit: 1_000) { _ in .text("never") }
        let piece = Data(pattern(1 << 20))
        let request = HTTPRequest.post(server.address).body(chunks: Chunks { $0 < 300 ? piece : nil })
          .accepting(413...413)
        let before = try mostResidentBytes()
        let response = try await URLSession(configuration: .ephemeral).promise(for: request).value
        #expect(response.status == 413)
        let growth = try mostResidentBytes() - before
        print("A body of 300 MB has taken \(growth >> 20) MB to be sent")
        #expect(growth < 48 << 20)
      }
    }
  #endif
}
