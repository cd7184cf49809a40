import PromiseHTTP
import Testing

@Suite("Servers that are slow, lie or end", .bounded) struct FaultyServerTests {
  private static let head = "HTTP/1.1 200 OK\r\n"

  @Test(
    "A response that arrives byte by byte is whole",
    arguments: ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"])
  func drips(_ rest: String) async throws {
    let pieces = (Self.head + rest).utf8.map { Piece.bytes([$0]) }
    let exchange = try Exchange { _ in Response(pieces: pieces, framing: .raw) }
    #expect(try await exchange.session.promise(for: exchange.request()).value.0 == Data("hello".utf8))
    #expect(try await exchange.upload(pattern(10), fromFile: true).value.0 == Data("hello".utf8))
    _ = try await exchange.download().value
    #expect(try exchange.folder.bytes(of: "in") == Array("hello".utf8))
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    #expect(try await Array(stream.lines) == ["hello"])
  }

  @Test(
    "A body whose length is a lie, or cannot be read, rejects with the session's error", arguments: Transfer.allCases,
    [
      "Content-Length: 4611686018427387904\r\n\r\nhello", "Content-Length: 6\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello, and more\r\n0\r\n\r\n",
    ])
  func lies(_ transfer: Transfer, _ rest: String) async throws {
    let text = Self.head + rest
    let exchange = try Exchange { $0.path == "/next" ? .text("next") : Response(pieces: [.text(text)], framing: .raw) }
    let begun = try exchange.begin(transfer)
    #expect(await begun.response.awaitedError is URLError)
    #expect(!begun.promise.isCancelled)
    #expect(try exchange.folder.names.allSatisfy { $0 == "out" })
    #expect(try await exchange.session.promise(for: exchange.request("/next")).value.0 == Data("next".utf8))
  }

  @Test("Bytes behind the announced length belong neither to the body nor to the next response")
  func surplus() async throws {
    let answer = "Content-Length: 5\r\n\r\nhello"
    let evil = Self.head + "Content-Length: 4\r\n\r\nevil"
    let text = Self.head + answer + evil
    let exchange = try Exchange { request in
      // The connection stays open, as if the client could use it again.
      request.path == "/next" ? .text("next") : Response(pieces: [.text(text), .untilGone], framing: .raw)
    }
    for _ in 0..<5 {
      #expect(try await exchange.session.promise(for: exchange.request()).value.0 == Data("hello".utf8))
      #expect(try await exchange.session.promise(for: exchange.request("/next")).value.0 == Data("next".utf8))
    }
  }
}

#if canImport(FoundationNetworking)
  @Suite("Responses for which Foundation stops the process", .bounded) struct FatalResponseTests {
    /// If this test fails, Foundation has been repaired. Then the guide to requests need not warn any more.
    @Test("A redirection without a scheme, to a host that is an IPv6 address or has an escaped character, is fatal")
    func redirections() async {
      // The closures run in processes of their own, and so cannot use a constant of this function.
      let address = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let exchange = try Exchange { $0.path == "/" ? .redirect(to: "//[::1]/end") : .text("arrived") }
        _ = await exchange.session.promise(for: try exchange.url()).awaitedError
      }
      let escaped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let exchange = try Exchange { $0.path == "/" ? .redirect(to: "//a%20b/end") : .text("arrived") }
        _ = await exchange.session.promise(for: try exchange.url()).awaitedError
      }
      for exit in [address, escaped] {
        let message = String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Invalid URL"))
      }
    }
  }

  /// These tests run in processes of their own, because they limit the process.
  @Suite("Requests of a process that lacks disk space or descriptors", .bounded) struct ScarceResourceTests {
    @Test("A sequence that does not fit on the disk rejects its request with CocoaError, and nothing is sent or left")
    func fullDisk() async {
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        unsafe setenv("TMPDIR", folder.url.path, 1)
        let exchange = try Exchange { .text("\($0.body.count)") }
        let chunks = (0..<5).map { _ in Data(pattern(1_000)) }
        let body = AsyncChunks(chunks: chunks)
        let request = HTTPRequest.post(exchange.server.address).body(chunks: body)
        signal(SIGXFSZ, SIG_IGN)
        let former = setLimit(of: RLIMIT_FSIZE, to: 2_500)
        let error = await exchange.session.promise(for: request).awaitedError
        #expect(error is CocoaError, "\(String(describing: error))")
        #expect(exchange.asked.isEmpty)
        let names = try folder.names.filter { $0.hasPrefix("upload-") }
        #expect(names.isEmpty)
        setLimit(of: RLIMIT_FSIZE, to: former)
        let text = try await exchange.session.promise(for: request).value.text
        #expect(text == "5000")
      }
    }

    @Test("A request without a free descriptor rejects with the session's error, and a later one works")
    func noDescriptors() async {
      await #expect(processExitsWith: .success) {
        // No connection is kept, because the next request could use it.
        let exchange = try Exchange { _ in
          Response(headers: [("Connection", "close")], pieces: [.text("body")])
        }
        let first = try await exchange.session.promise(for: exchange.url()).value.0
        #expect(first == Data("body".utf8))
        let url = try exchange.url("/without")
        // The standard files have the numbers below 3, so that no file can be opened, even if another is closed.
        // The limit lasts only for a moment, because Dispatch stops a process without descriptors when it next looks at
        // its threads.
        let former = setLimit(of: RLIMIT_NOFILE, to: 3)
        let error = await exchange.session.promise(for: url).awaitedError
        setLimit(of: RLIMIT_NOFILE, to: former)
        #expect(error is URLError)
        #expect(exchange.asked == ["GET /"])
        let last = try await exchange.session.promise(for: exchange.url()).value.0
        #expect(last == Data("body".utf8))
      }
    }
  }

  /// Chunks for the body of a request.
  private struct AsyncChunks: AsyncSequence, Sendable {
    let chunks: [Data]

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }

    struct Iterator: AsyncIteratorProtocol {
      var rest: ArraySlice<Data>
      mutating func next() async -> Data? { rest.popFirst() }
    }
  }
#endif
