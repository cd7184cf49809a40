import PromiseHTTP
import Testing

@Suite("Responses whose bodies are streamed", .bounded) struct StreamTests {
  @Test(
    "A chunk arrives before the server sends the next",
    arguments: [Response.Framing.chunked, .untilClose, .length(10)])
  func chunks(_ framing: Response.Framing) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(
        status: 206, headers: [("X-A", "b")],
        pieces: [.text("first"), .call { gate.wait("consumer") }, .text("later")], framing: framing)
    }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/a?secret")).value
    #expect(stream.response.status == 206)
    #expect(stream.response["x-a"] == "b")
    #expect(stream.response.body.isEmpty)
    #expect(try stream.response.url == exchange.url("/a?secret"))
    #expect("\(stream)".contains("/a"))
    #expect(!"\(stream)".contains("secret"))
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

  @Test("A body without bytes ends at once, with any status", arguments: [("GET", 204), ("HEAD", 200), ("GET", 401)])
  func empty(_ method: String, _ status: Int) async throws {
    let exchange = try Exchange { _ in .empty(status: status) }
    let request = HTTPRequest(HTTPMethod(rawValue: method), exchange.server.address).accepting(200...401)
    let stream = try await exchange.session.stream(for: request).value
    #expect(try await Array(stream.chunks) == [])
    try await stream.end.value
  }

  @Test(
    "A refused status rejects with the whole response, and an accepted one has lines, even if the session may answer it",
    arguments: [400, 401, 404, 407, 503])
  func statuses(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("a\r\nb\nc\rd\r\n", status: status) }
    let request = HTTPRequest.get(exchange.server.address)
    let error = await exchange.session.stream(for: request).awaitedError
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    #expect(response.text == "a\r\nb\nc\rd\r\n")
    let stream = try await exchange.session.stream(for: request.accepting(400...599)).value
    #expect(stream.response.status == status)
    #expect(try await Array(stream.lines) == ["a", "b", "c", "d"])
    #expect(stream.end.isFulfilled)
  }

  @Test("A body that fails in the middle throws after what had arrived, again and again")
  func failing() async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.text("abc"), .call { gate.wait("consumer") }, .cut], framing: .length(100))
    }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var chunks = stream.chunks.makeAsyncIterator()
    #expect(try await chunks.next() == Data("abc".utf8))
    gate.open()
    for _ in 0..<2 { await #expect(throws: URLError.self) { try await chunks.next() } }
    #expect(stream.end.isRejected)
    #expect(!stream.end.isCancelled)
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
    #expect(error?.caseName == "TransferError.bodyTooLarge")
    #expect(["", "abc"].contains(text))
    try await unfinished.left.value
  }
}

@Suite("Streams that are cancelled or dropped", .bounded) struct StreamCancellationTests {
  /// The server sends the beginning of a body, and then waits for the client to go.
  private let unfinished = UnfinishedResponse([.text("first")], framing: .chunked)
  private let exchange: Exchange
  private var stream: Promise<HTTPStream> { exchange.session.stream(for: .get(exchange.server.address)) }

  init() throws { exchange = try Exchange { [unfinished] _ in unfinished.response } }

  @Test("Cancelling the promise before the head has arrived cancels the request", .rule("4.1"))
  func beforeHead() async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let promise = exchange.session.stream(for: .get(exchange.server.address))
    try await unfinished.sent.value
    promise.cancel(reason: TestError(1))
    #expect(await promise.awaitedError as? TestError == TestError(1))
    #expect(promise.isCancelled)
    try await unfinished.left.value
  }

  @Test("A stream that is dropped cancels the request", .rule("4.6"), arguments: [false, true])
  func dropped(_ isRead: Bool) async throws {
    var stream: HTTPStream? = try await self.stream.value
    let end = try #require(stream?.end)
    if isRead {
      var chunks = stream?.chunks.makeAsyncIterator()
      #expect(try await chunks?.next() == Data("first".utf8))
      stream = nil
      #expect(end.isPending)
      chunks = nil
    }
    stream = nil
    #expect(await end.awaitedError is CancellationError)
    #expect(end.isCancelled)
    try await unfinished.left.value
  }

  @Test("Cancelling the end cancels the request and throws in the consumer", .rule("4.1"), arguments: [false, true])
  func end(_ isWaiting: Bool) async throws {
    let stream = try await stream.value
    let waiting = Deferred<Void>()
    let read = Log<String>()
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
    try await unfinished.left.value
  }

  @Test("Cancelling the Task of the consumer cancels the request", .rule("4.7"))
  func task() async throws {
    let stream = try await stream.value
    let waiting = Deferred<Void>()
    let consumer = Task { for try await _ in stream.chunks { waiting.fulfill() } }
    try await waiting.promise.value
    consumer.cancel()
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(stream.end.isCancelled)
    try await unfinished.left.value
  }
}
