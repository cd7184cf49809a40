import Testing

@testable import PromiseHTTP

@Suite("Streams whose consumers are slow", .bounded) struct StreamPaceTests {
  private static let pieceCount = 40

  /// A server whose body has many mebibytes at `/large`.
  private func exchange(sent: Log<Int>) throws -> Exchange {
    let piece = pattern(1 << 20)
    return try Exchange { request in
      guard request.path == "/large" else { return .text("small") }
      let pieces = (0..<Self.pieceCount).flatMap { number -> [Piece] in
        [.bytes(piece), .call { sent.append(number) }]
      }
      return Response(pieces: pieces)
    }
  }

  @Test("A server waits for a slow consumer, and other requests of the session do not", .slow)
  func paused() async throws {
    let sent = Log<Int>()
    let exchange = try exchange(sent: sent)
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/large")).value
    // Without a limit, the whole body would arrive during these requests.
    for _ in 0..<300 {
      #expect(try await exchange.session.promise(for: .get(exchange.server.address)).value.text == "small")
    }
    #expect(sent.entries.count < Self.pieceCount * 3 / 4)
    #expect(stream.end.progress < 0.1)
    var count = 0
    for try await chunk in stream.chunks { count += chunk.count }
    #expect(count == Self.pieceCount << 20)
    #expect(sent.entries.count == Self.pieceCount)
  }

  #if canImport(FoundationNetworking)
    @Test("A server that is silent several times, each for less than the idle time, is no timeout")
    func pauses() async throws {
      let gates = (0..<5).map { _ in Gate() }
      let exchange = try Exchange { _ in
        let pieces = gates.flatMap { gate -> [Piece] in [.call { gate.wait("client") }, .text("more")] }
        return Response(pieces: pieces, framing: .chunked)
      }
      let timers = HandRungTimers()
      let request = HTTPRequest.get(exchange.server.address).idleTimeout(.seconds(8))
      let promise = exchange.session.stream(for: request, timers: timers)
      gates[0].open()
      var chunks = try await promise.value.chunks.makeAsyncIterator()
      #expect(try await chunks.next() == Data("more".utf8))
      for gate in gates.dropFirst() {
        timers.advance(by: .seconds(6))
        gate.open()
        #expect(try await chunks.next() == Data("more".utf8))
      }
      #expect(try await chunks.next() == nil)
    }
  #endif

  // This test waits for a second, because the timers are those of the system.
  @Test("A server that is silent for the idle time is a timeout", .slow, arguments: [false, true])
  func silent(_ hasHead: Bool) async throws {
    let unfinished = UnfinishedResponse(hasHead ? [.text("first")] : [], framing: hasHead ? .chunked : .raw)
    let exchange = try Exchange { _ in unfinished.response }
    var stream: Promise<HTTPStream>
    repeat {
      let promise = exchange.session.stream(for: .get(exchange.server.address).idleTimeout(.seconds(1)))
      let error = await #expect(throws: URLError.self) {
        for try await chunk in try await promise.value.chunks { #expect(chunk == Data("first".utf8)) }
      }
      #expect(error?.code == .timedOut)
      stream = promise
      // On a busy machine the time may pass before the request arrives, or before the head of its response does.
    } while exchange.asked.isEmpty || hasHead && !stream.isFulfilled
    #expect(stream.isFulfilled == hasHead)
    try await unfinished.left.value
  }

  @Test("A paused stream can be cancelled, dropped and invalidated", arguments: 0..<3)
  func pausedEnd(_ way: Int) async throws {
    let sent = Log<Int>()
    let exchange = try exchange(sent: sent)
    let session = URLSession(configuration: .patient)
    var stream: HTTPStream? = try await session.stream(for: .get(exchange.server.address + "/large")).value
    let end = try #require(stream?.end)
    while sent.entries.isEmpty { await Task.yield() }
    switch way {
    case 0: end.cancel()
    case 1: stream = nil
    default: session.invalidateAndCancel()
    }
    // The server goes on when the client has closed the connection.
    while sent.entries.count < Self.pieceCount { await Task.yield() }
    if way < 2 {
      #expect(await end.awaitedError is CancellationError)
    } else {
      await #expect(throws: URLError.self) { if let chunks = stream?.chunks { for try await _ in chunks {} } }
      #expect((await end.awaitedError as? URLError)?.code == .cancelled)
    }
    try await end.whenFinished().value
    withExtendedLifetime(stream) {}
  }

  #if canImport(FoundationNetworking)
    @Test("A body of 300 MB is not gathered in memory", .slow)
    func memory() async {
      await #expect(processExitsWith: .success) {
        let piece = pattern(1 << 20)
        let server = try LoopbackServer { _ in Response(pieces: Array(repeating: .bytes(piece), count: 300)) }
        let session = URLSession(configuration: .patient)
        let before = try mostResidentBytes()
        let stream = try await session.stream(for: .get(server.address)).value
        // The consumer starts late.
        for _ in 0..<100 { _ = try await session.promise(for: .head(server.address)).value }
        var count = 0
        for try await chunk in stream.chunks { count += chunk.count }
        #expect(count == 300 << 20)
        let growth = try mostResidentBytes() - before
        print("A body of 300 MB has taken \(growth >> 20) MB")
        #expect(growth < 48 << 20)
      }
    }
  #endif
}

@Suite("Idle timeouts of requests", .bounded) struct IdleTimeoutTests {
  // This test waits for a second, because the session uses a real clock.
  @Test("A request that receives nothing for its idle time rejects with URLError.timedOut and closes its connection")
  func silence() async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(.seconds(1))
    repeat {
      let promise = exchange.session.promise(for: request)
      #expect((await promise.awaitedError as? URLError)?.code == .timedOut)
      #expect(!promise.isCancelled)
      // On a busy machine the time may pass before the request arrives.
    } while exchange.asked.isEmpty
    try await unfinished.left.value
  }

  @Test(
    "An idle time is not shortened to whole seconds, and the longest idle time does not trap",
    arguments: [
      Duration.milliseconds(3_600_500), .milliseconds(3_600_900), .seconds(Int64.max), .seconds(1_000_000_000_000),
    ])
  func lengths(_ limit: Duration) async throws {
    let exchange = try Exchange { _ in .text("fine") }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(limit)
    #expect(try await exchange.session.promise(for: request).value.text == "fine")
    #expect(try request.urlRequest().timeoutInterval >= min(limit / .seconds(1), 1_000_000))
  }

  // On Linux, Foundation truncates the timeout to whole seconds. A request with a timeout of 0 seconds fails at once.
  @Test("A URLRequest gets the idle time of its HTTPRequest, but never 0 seconds, and 60 seconds by default")
  func interval() throws {
    let request = HTTPRequest.get("http://host")
    #expect(try request.urlRequest().timeoutInterval == 60)
    #expect(try request.idleTimeout(.seconds(7)).urlRequest().timeoutInterval == 7)
    #if canImport(FoundationNetworking)
      #expect(try request.idleTimeout(.milliseconds(1)).urlRequest().timeoutInterval == 1)
    #else
      #expect(try request.idleTimeout(.milliseconds(1)).urlRequest().timeoutInterval == 0.001)
    #endif
  }

  #if canImport(FoundationNetworking)
    @Test(
      "An idle time of a URLRequest is rounded up to whole seconds",
      arguments: [(0.001, 1.0), (0.999, 1), (1.5, 2), (20, 20), (.infinity, 3_162_240_000)])
    func rounding(_ limit: TimeInterval, _ rounded: TimeInterval) throws {
      var request = URLRequest(url: try #require(URL(string: "http://host")))
      request.timeoutInterval = limit
      request.roundIdleTime()
      #expect(request.timeoutInterval == rounded)
    }

    @Test("An extremely long idle time of a session is capped, and its request is answered")
    func ofSession() async throws {
      let server = try LoopbackServer { _ in .text("fine") }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = .greatestFiniteMagnitude
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      #expect(try await session.promise(for: .get(server.address)).value.text == "fine")
      #expect(SessionProxy.proxy(for: session).configuration?.timeoutIntervalForRequest == 3_162_240_000)
    }
  #endif
}
