import PromiseHTTP
import Testing

@Suite("Bodies of requests", .bounded) struct HTTPBodyTests {
  private struct Note: Codable, Equatable, Sendable {
    var id: Int
    var at: Date
  }

  @Test("JSON is encoded by the given encoder and sent with the content type of JSON")
  func json() async throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    let note = Note(id: 1, at: Date(timeIntervalSince1970: 60))
    let seen = try await received { .post($0).json(note, encoder: encoder) }
    #expect([seen.method, seen.bodyText] == ["POST", #"{"at":60,"id":1}"#])
    #expect(seen["Content-Type"] == "application/json")
  }

  @Test("Bytes are sent unchanged, with their content type", arguments: [0, 1, 100_000])
  func data(_ count: Int) async throws {
    let data = Data(pattern(count))
    let untyped = try await received { .put($0).body(data) }
    let typed = try await received { .put($0).body(data, type: "image/png") }
    #expect([untyped, typed].map(\.body) == [pattern(count), pattern(count)])
    #expect([untyped, typed].map { $0["Content-Type"] } == ["application/octet-stream", "image/png"])
  }

  @Test("A file is sent with its content type, and the progress rises to 1", arguments: [0, 10, 300_000])
  func file(_ count: Int) async throws {
    let exchange = try Exchange { _ in .text("some text that comes back") }
    let file = try exchange.folder.write(pattern(count), to: "out")
    let promise = exchange.session.promise(for: .put(exchange.server.address).body(fileAt: file, type: "a/b"))
    let numbers = try await ProgressLog(of: promise).numbers()
    #expect(numbers == numbers.sorted())
    #expect(numbers.last == 1)
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.body == pattern(count))
    #expect([seen.method, seen["Content-Type"]] == ["PUT", "a/b"])
  }

  @Test("Only the last body of a request is sent")
  func last() async throws {
    let seen = try await received { .post($0).json(1).form(["a": 1]).body(Data("x".utf8), type: "t/x") }
    #expect([seen.bodyText, seen["Content-Type"]] == ["x", "t/x"])
  }

  @Test("A Content-Type header replaces the content type of the body", arguments: [true, false])
  func contentType(_ isHeaderFirst: Bool) async throws {
    let name = "content-type"
    let value = "application/ld+json"
    let seen = try await received { address in
      let request = HTTPRequest.post(address)
      return isHeaderFirst ? request.header(name, value).json(1) : request.json(1).header(name, value)
    }
    #expect(seen.headers.filter { $0.name.lowercased() == name }.map(\.value) == [value])
  }

  @Test("A request is a value that derived requests do not change")
  func value() async throws {
    let seen = try await received { address in
      let plain = HTTPRequest.post(address)
      _ = plain.json(1).header("X-A", "b").query(["a": 1]).accepting(400...499).idleTimeout(.seconds(1))
      return plain
    }
    #expect(seen.body.isEmpty)
    #expect(seen["X-A"] == nil)
    #expect(seen.target == "/")
  }

  @Test("A value or a number that cannot be encoded rejects with bodyNotEncodable and its error, and nothing is sent")
  func notEncodable() async throws {
    struct Bad: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw TestError(3) }
    }
    let exchange = try Exchange { _ in .empty() }
    let post = HTTPRequest.post(exchange.server.address)
    var causes: [any Error] = []
    for request in [post.json(Bad()), post.json([Double.nan])] {
      let promise = exchange.session.promise(for: request)
      #expect(promise.isRejected)
      if case .bodyNotEncodable(let cause) = await promise.awaitedError as? HTTPRequestError { causes.append(cause) }
    }
    try #require(causes.count == 2)
    #expect(causes[0] as? TestError == TestError(3))
    #expect(causes[1] is EncodingError)
    #expect(exchange.server.requests.isEmpty)
  }
}

@Suite("Bodies that are asynchronous sequences", .bounded) struct ChunkedBodyTests {
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

  @Test("Chunks or bytes are sent in order, each time that the request is sent, and again after a redirection")
  func whole() async throws {
    let exchange = try Exchange { request in
      request.path == "/old" ? .redirect(to: "/new", status: 307) : .text("\(request.body.count)")
    }
    let post = HTTPRequest.post(exchange.server.address + "/old")
    for request in [post.body(chunks: Self.chunks, type: "text/x"), post.body(Data(Self.whole), type: "text/x")] {
      for _ in 0..<2 { #expect(try await exchange.session.promise(for: request).value.text == "\(Self.whole.count)") }
      let stream = try await exchange.session.stream(for: request).value
      #expect(try stream.response.url == exchange.url("/new"))
      #expect(try await Array(stream.lines) == ["\(Self.whole.count)"])
    }
    #expect(exchange.asked == (0..<6).flatMap { _ in ["POST /old", "POST /new"] })
    for seen in exchange.server.requests {
      #expect(seen.body == Self.whole)
      #expect([seen["Content-Type"], seen["Content-Length"]] == ["text/x", "\(Self.whole.count)"])
    }
  }

  @Test("Cancelling the promise cancels the Task of the sequence, and nothing is sent", .rule("4.1"))
  func cancelled() async throws {
    let waiting = Deferred<Void>()
    let ended = Deferred<Void>()
    let never = Deferred<Void>()
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
    #expect(await promise.awaitedError is CancellationError)
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
      ? await exchange.session.stream(for: request).awaitedError
      : await exchange.session.promise(for: request).awaitedError
    #expect(error as? TestError == TestError(5))
    #expect(exchange.asked.isEmpty)
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
        let response = try await URLSession(configuration: .patient).promise(for: request).value
        #expect(response.status == 413)
        let growth = try mostResidentBytes() - before
        print("A body of 300 MB has taken \(growth >> 20) MB to be sent")
        #expect(growth < 48 << 20)
      }
    }
  #endif
}
