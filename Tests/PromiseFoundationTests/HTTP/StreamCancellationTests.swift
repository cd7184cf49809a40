import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Streams that are cancelled or dropped", .bounded)
struct StreamCancellationTests {
  /// A server that sends the beginning of a body, and then waits for the client to go.
  private struct Endless {
    let unfinished: UnfinishedResponse
    let exchange: Exchange

    init(headFirst: Bool = true) throws {
      let unfinished = UnfinishedResponse(headFirst ? [.text("first")] : [], framing: headFirst ? .chunked : .raw)
      self.unfinished = unfinished
      exchange = try Exchange { _ in unfinished.response }
    }

    var stream: Promise<HTTPStream> { exchange.session.stream(for: .get(exchange.server.address)) }

    /// Waits until the server has received the request.
    func waitUntilAsked() async throws { try await unfinished.sent.value }

    /// Waits until the client has closed the connection.
    func waitUntilGone() async throws { try await unfinished.left.value }
  }

  @Test("Cancelling the promise before the head has arrived cancels the request", .rule("4.1"))
  func beforeHead() async throws {
    let endless = try Endless(headFirst: false)
    let promise = endless.stream
    try await endless.waitUntilAsked()
    promise.cancel(reason: TestError(1))
    #expect(await promise.failure as? TestError == TestError(1))
    #expect(promise.isCancelled)
    try await endless.waitUntilGone()
  }

  @Test("A link that gives the promise up cancels the request", .rule("4.4"))
  func givenUp() async throws {
    let endless = try Endless(headFirst: false)
    let status = endless.stream.map { $0.response.status }
    try await endless.waitUntilAsked()
    status.cancel(upstream: true)
    #expect(await status.failure is CancellationError)
    try await endless.waitUntilGone()
  }

  @Test("A stream that is dropped cancels the request", .rule("4.6"), arguments: [false, true])
  func dropped(_ isRead: Bool) async throws {
    let endless = try Endless()
    var stream: HTTPStream? = try await endless.stream.value
    let end = try #require(stream?.end)
    if isRead {
      var chunks = stream?.chunks.makeAsyncIterator()
      #expect(try await chunks?.next() == Data("first".utf8))
      stream = nil
      #expect(end.isPending)
      chunks = nil
    }
    stream = nil
    #expect(await end.failure is CancellationError)
    #expect(end.isCancelled)
    try await endless.waitUntilGone()
  }

  @Test("A promise cancels the request when it is released before its stream was read", .rule("4.6"))
  func unread() async throws {
    let endless = try Endless()
    var promise: Promise<HTTPStream>? = endless.stream
    let end = try await promise?.map { $0.end }.value
    promise = nil
    #expect(await end?.failure is CancellationError)
    try await endless.waitUntilGone()
  }

  @Test(
    "Cancelling the end cancels the request, and the consumer gets the reason", .rule("4.1"), arguments: [false, true])
  func end(_ isWaiting: Bool) async throws {
    let endless = try Endless()
    let stream = try await endless.stream.value
    let (waiting, read) = (Deferred<Void>(), Log<String>())
    let consumer = Task {
      var chunks = stream.chunks.makeAsyncIterator()
      if isWaiting { read.append(try await chunks.next().map { String(decoding: $0, as: UTF8.self) } ?? "end") }
      waiting.fulfill()
      _ = try await chunks.next()
      while try await chunks.next() != nil {}
    }
    if isWaiting { try await waiting.promise.value }
    stream.end.cancel(reason: TestError(2))
    await #expect(throws: TestError(2)) { try await consumer.value }
    await #expect(throws: TestError(2)) { try await Array(stream.chunks) }
    #expect(read.entries == (isWaiting ? ["first"] : []))
    try await endless.waitUntilGone()
  }

  @Test("Cancelling the Task of the consumer cancels the request", .rule("4.7"))
  func task() async throws {
    let endless = try Endless()
    let stream = try await endless.stream.value
    let waiting = Deferred<Void>()
    let consumer = Task {
      for try await _ in stream.chunks { waiting.fulfill() }
    }
    try await waiting.promise.value
    consumer.cancel()
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(stream.end.isCancelled)
    try await endless.waitUntilGone()
  }

  @Test("An async link that reads the stream stops when its promise is cancelled", .rule("2.5"))
  func link() async throws {
    let endless = try Endless()
    let reading = Deferred<Void>()
    let count = endless.stream.asyncMap { stream in
      var count = 0
      for try await chunk in stream.chunks {
        count += chunk.count
        reading.fulfill()
      }
      return count
    }
    try await reading.promise.value
    count.cancel(upstream: true)
    #expect(await count.failure is CancellationError)
    try await endless.waitUntilGone()
  }

  @Test("Invalidating the session ends the stream")
  func invalidated() async throws {
    let endless = try Endless()
    let session = URLSession(configuration: .ephemeral)
    let stream = try await session.stream(for: .get(endless.exchange.server.address)).value
    session.invalidateAndCancel()
    await #expect(throws: URLError.self) {
      for try await _ in stream.chunks {}
    }
    try await endless.waitUntilGone()
  }
}
