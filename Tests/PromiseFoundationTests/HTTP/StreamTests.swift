import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Responses whose bodies are streamed", .bounded)
struct StreamTests {
  @Test(
    "A chunk reaches the consumer before the server has sent the next",
    arguments: [Response.Framing.chunked, .untilClose, .length(10)])
  func chunks(_ framing: Response.Framing) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(
        status: 206, headers: [("X-A", "b")],
        pieces: [.text("first"), .call { gate.wait("consumer") }, .text("later")], framing: framing)
    }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/a")).value
    #expect(stream.response.status == 206)
    #expect(stream.response["x-a"] == "b")
    #expect(stream.response.body.isEmpty)
    #expect(try stream.response.url == exchange.url("/a"))
    var chunks = stream.chunks.makeAsyncIterator()
    #expect(try await chunks.next() == Data("first".utf8))
    #expect(stream.end.isPending)
    gate.open()
    #expect(try await chunks.next() == Data("later".utf8))
    #expect(stream.end.isPending)
    #expect(try await chunks.next() == nil)
    #expect(stream.end.isFulfilled)
    #expect(try await chunks.next() == nil)
  }

  @Test("A large body arrives whole and in order", arguments: [1, 70_000, 3_000_000])
  func whole(_ count: Int) async throws {
    let exchange = try Exchange { _ in .bytes(pattern(count)) }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var body = Data()
    for try await chunk in stream.chunks {
      #expect(!chunk.isEmpty)
      body += chunk
    }
    #expect(body == Data(pattern(count)))
    #expect(stream.end.isFulfilled)
    #expect(stream.end.progress == 1)
  }

  @Test("A body without bytes ends at once", arguments: ["GET", "HEAD"])
  func empty(_ method: String) async throws {
    let exchange = try Exchange { _ in .empty(status: method == "GET" ? 204 : 200) }
    let request = HTTPRequest(HTTPMethod(rawValue: method), exchange.server.address)
    let stream = try await exchange.session.stream(for: request).value
    for try await chunk in stream.chunks { Issue.record("\(chunk)") }
    try await stream.end.value
  }

  @Test("Each way to end a line ends a line of the stream")
  func lines() async throws {
    let exchange = try Exchange { _ in .text("a\r\nb\nc\rd\r\n") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    #expect(try await Array(stream.lines) == ["a", "b", "c", "d"])
  }

  @Test("A body without bytes ends at once even if the session may answer its status")
  func emptyChallenge() async throws {
    let exchange = try Exchange { _ in .empty(status: 401) }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address).accepting(401...401)).value
    #expect(try await Array(stream.chunks) == [])
    #expect(stream.end.isFulfilled)
  }

  @Test("A stream does not print the secrets of its URL")
  func description() async throws {
    let exchange = try Exchange { _ in .text("text") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/a?token=secret")).value
    #expect("\(stream)".contains("/a") && !"\(stream)".contains("secret"))
  }

  @Test("The request has its body, and a redirection is followed")
  func body() async throws {
    let exchange = try Exchange { request in
      request.path == "/old" ? .redirect(to: "/new", status: 307) : .text("\(request.method) \(request.bodyText)")
    }
    let request = HTTPRequest.post(exchange.server.address + "/old").body(Data("sent".utf8))
    let stream = try await exchange.session.stream(for: request).value
    #expect(try stream.response.url == exchange.url("/new"))
    #expect(try await Array(stream.lines) == ["POST sent"])
  }

  @Test(
    "A status that the request does not accept rejects with the whole response", arguments: [400, 401, 404, 407, 503])
  func refused(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("because", status: status) }
    let error = await exchange.session.stream(for: .get(exchange.server.address)).failure
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    #expect(response.text == "because")
  }

  @Test(
    "A status that the request accepts fulfils, even if the session may answer it", arguments: [401, 404, 407, 503])
  func accepted(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("because", status: status) }
    let request = HTTPRequest.get(exchange.server.address).accepting(400...599)
    let stream = try await exchange.session.stream(for: request).value
    #expect(stream.response.status == status)
    #expect(try await Array(stream.lines) == ["because"])
    #expect(stream.end.isFulfilled)
  }

  @Test("A request that cannot be sent rejects")
  func invalid() async throws {
    let error = await URLSession(configuration: .ephemeral).stream(for: .get("ftp://host")).failure
    #expect(error is HTTPRequestError)
  }

  @Test("A body that fails in the middle throws after what had arrived, again and again, and is handled")
  func failing() async throws {
    let unhandled = Log<UnhandledRejection>()
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.text("abc"), .call { gate.wait("consumer") }, .cut], framing: .length(100))
    }
    do {
      let stream = try await Diagnostics.scoped(unhandledRejection: unhandled.append) {
        exchange.session.stream(for: .get(exchange.server.address))
      }.value
      var chunks = stream.chunks.makeAsyncIterator()
      #expect(try await chunks.next() == Data("abc".utf8))
      gate.open()
      for _ in 0..<2 {
        await #expect(throws: URLError.self) { try await chunks.next() }
      }
      #expect(stream.end.isRejected)
      #expect(!stream.end.isCancelled)
    }
    #expect(unhandled.entries.isEmpty)
  }

  @Test("More bytes than the request allows throw bodyTooLarge after the allowed ones, and the request is cancelled")
  func tooLarge() async throws {
    let unfinished = UnfinishedResponse([.text("abc"), .text("def")], framing: .chunked)
    let exchange = try Exchange { _ in unfinished.response }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address).maximumBodySize(5)).value
    var text = ""
    let error = await #expect(throws: TransferError.self) {
      for try await chunk in stream.chunks { text += String(decoding: chunk, as: UTF8.self) }
    }
    guard case .bodyTooLarge(limit: 5, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(["", "abc"].contains(text))
    try await unfinished.left.value
  }
}

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

@Suite("Streams whose consumers are slow", .bounded)
struct StreamPaceTests {
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
    let promise = exchange.session.stream(for: .get(exchange.server.address).idleTimeout(.seconds(1)))
    let error = await #expect(throws: URLError.self) {
      for try await chunk in try await promise.value.chunks { #expect(chunk == Data("first".utf8)) }
    }
    #expect(error?.code == .timedOut)
    #expect(promise.isFulfilled == hasHead)
    try await unfinished.left.value
  }

  @Test("A paused stream can be cancelled, dropped and invalidated", arguments: 0..<3)
  func pausedEnd(_ way: Int) async throws {
    let sent = Log<Int>()
    let exchange = try exchange(sent: sent)
    let session = URLSession(configuration: .ephemeral)
    var stream: HTTPStream? = try await session.stream(for: .get(exchange.server.address + "/large")).value
    let end = try #require(stream?.end)
    while sent.entries.isEmpty { await Task.yield() }
    switch way {
    case 0: end.cancel()
    case 1: stream = nil
    default:
      session.invalidateAndCancel()
      // The server goes on when the client has closed the connection.
      while sent.entries.count < Self.pieceCount { await Task.yield() }
      await #expect(throws: URLError.self) {
        if let chunks = stream?.chunks { for try await _ in chunks {} }
      }
    }
    #expect(await end.failure != nil)
    withExtendedLifetime(stream) {}
  }

  #if canImport(FoundationNetworking)
    @Test("A body of 300 MB is not gathered in memory", .slow)
    func memory() async {
      await #expect(processExitsWith: .success) {
        let piece = pattern(1 << 20)
        let server = try LoopbackServer { _ in Response(pieces: Array(repeating: .bytes(piece), count: 300)) }
        let session = URLSession(configuration: .ephemeral)
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

extension Array {
  /// Collects an asynchronous sequence.
  fileprivate init<Elements: AsyncSequence>(_ elements: Elements) async throws where Elements.Element == Element {
    self = []
    for try await element in elements { append(element) }
  }
}
