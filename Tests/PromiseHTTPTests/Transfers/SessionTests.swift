import Testing

@testable import PromiseHTTP

@Suite("Sessions that are invalidated", .bounded) struct InvalidationTests {
  /// Sends a request in a session of its own, which is told to finish at once.
  private static func sendAndFinish(_ transfer: Transfer, to exchange: Exchange) throws -> Promise<URLResponse> {
    let session = URLSession(configuration: .patient)
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

  @Test("invalidateAndCancel rejects with URLError.cancelled, which is no cancellation", arguments: Transfer.allCases)
  func cancelling(_ transfer: Transfer) async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let session = URLSession(configuration: .patient)
    let begun = try transfer.begin(exchange.request(), in: session, folder: exchange.folder)
    try await unfinished.sent.value
    session.invalidateAndCancel()
    #expect((await begun.response.awaitedError as? URLError)?.code == .cancelled)
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
      let session = URLSession(configuration: .patient, delegate: delegate, delegateQueue: nil)
      let (chunks, body) = AsyncStream<Data>.makeStream()
      body.yield(Data("text".utf8))
      return (session, body, session.promise(for: .post(address).body(chunks: chunks)))
    }

    @Test("A request completes if its session is told to finish while the body is being written")
    func finishingWhileWriting() async throws {
      let server = try LoopbackServer { .text($0.bodyText) }
      let delegate = Delegate()
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
      let server = try LoopbackServer { _ in .text("never") }
      let ended = Deferred<Void>()
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
      let server = try LoopbackServer { _ in .text("never") }
      let delegate = Delegate()
      let (session, _, promise) = begin(to: server.address, delegate: delegate)
      promise.cancel()
      session.finishTasksAndInvalidate()
      try await delegate.invalidated.promise.value
      #expect(server.requests.isEmpty)
    }
  #endif
}

#if canImport(FoundationNetworking)
  /// A response that lets the client keep the connection, so the client is the side that closes it.
  private let done = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"

  @Suite("Sessions that are released", .bounded)
  struct ReleasedSessionTests {
    @Test("The connections of a session are closed when the session is released")
    func connections() async throws {
      let unfinished = UnfinishedResponse([.text(done)])
      let server = try LoopbackServer { _ in unfinished.response }
      let (promise, session) = try send("/", to: server)
      #expect(try await promise.value.0 == Data("done".utf8))
      try await unfinished.left.value
      #expect(await eventually { session.isReleased })
    }

    // This test runs in a process of its own, because it counts the descriptors of the process.
    @Test("Sessions of one request each leave no open descriptor")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("done") }
        // Descriptors that the first request opens permanently do not count.
        _ = try await send("/", to: server).promise.value
        let before = try openDescriptors()
        for _ in 0..<5 {
          let promises = try (0..<20).map { _ in try send("/", to: server).promise }
          for promise in promises { _ = try await promise.value }
        }
        #expect(await eventually { (try? openDescriptors()) ?? .max <= before })
      }
    }

    @Test("A proxy that ends with its request closes the connection of the request")
    func disposableProxy() async throws {
      let unfinished = UnfinishedResponse([.text(done)])
      let exchange = try Exchange { _ in unfinished.response }
      let answer = Deferred<Void>()
      let transfer = RequestTransfer(
        into: ResponseBody(), atMost: 100, reportingSent: false, to: { _, _ in },
        completion: { answer.resolve($0.map { _ in }) })
      let proxy = SessionProxy(for: exchange.session, endingWithRequest: true)
      _ = try proxy.send(exchange.request(), uploading: nil, for: exchange.session, as: transfer)
      try await answer.promise.value
      try await unfinished.left.value
    }
  }

  /// A weak reference to a session that the test does not retain.
  private struct Released {
    weak var session: URLSession?
    var isReleased: Bool { session == nil }
  }

  /// Sends a request in a session of its own.
  private func send(
    _ path: String, to server: LoopbackServer
  ) throws -> (promise: Promise<(Data, URLResponse)>, session: Released) {
    let session = URLSession(configuration: .patient)
    defer { session.finishTasksAndInvalidate() }
    let url = try #require(URL(string: server.address + path))
    return (session.promise(for: url), Released(session: session))
  }

  @Suite("Requests on a kept connection that the server closes", .bounded)
  struct ResentBodyTests {
    /// A server that answers the first request, and closes the connection after the second request has arrived.
    private func closing() throws -> Exchange {
      let count = Locked(0)
      return try Exchange { request in
        count.increment() == 2 ? Response(pieces: [], framing: .raw) : .text("\(request.body.count)")
      }
    }

    @Test(
      "A request that must not be sent twice rejects with networkConnectionLost, and its session still works",
      arguments: ["POST", "PATCH"], [false, true])
    func refused(_ method: String, _ fromFile: Bool) async throws {
      let exchange = try closing()
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
      let promise = try exchange.upload(pattern(200_000), fromFile: fromFile, method: method)
      let failure = await promise.awaitedError
      #expect((failure as? URLError)?.code == .networkConnectionLost)
      #expect(!promise.isCancelled)
      #expect(exchange.server.requests.count == 2)
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
    }

    @Test("A request that may be sent twice is sent again", arguments: ["PUT", "DELETE"])
    func sentAgain(_ method: String) async throws {
      let exchange = try closing()
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
      var request = try exchange.request(method: method)
      request.httpBody = Data(pattern(200_000))
      #expect(try await exchange.session.promise(for: request).value.0 == Data("200000".utf8))
      let requests = exchange.server.requests
      #expect(requests.map(\.connection) == [0, 0, 1])
      #expect(requests.dropFirst().allSatisfy { $0.body == pattern(200_000) })
    }
  }
#endif
