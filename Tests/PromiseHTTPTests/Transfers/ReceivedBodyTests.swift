import Testing

@testable import PromiseHTTP

@Suite("Limits on the size of bodies", .bounded) struct BodySizeTests {
  /// A way to send a request that limits the body of its response.
  enum Way: CaseIterable, Sendable {
    case request, url, upload, uploadOfFile, download, readable, readableFile, readableDownload

    var isDownload: Bool { self == .download || self == .readableDownload }

    /// Sends a request.
    ///
    /// - Returns: the size of the body.
    func send(to url: URL, atMost limit: Int, in exchange: Exchange) throws -> Promise<Int> {
      let get = URLRequest(url: url)
      var post = get
      post.httpMethod = "POST"
      let session = exchange.session
      let folder = exchange.folder
      let readable = HTTPRequest.post(url.absoluteString).maximumBodySize(limit)
      let file = try folder.write([1], to: "out")
      let target = folder.file("in")
      @Sendable func size(_ body: Data, _: URLResponse) -> Int { body.count }
      @Sendable func sizeOfFile() throws -> Int { try Data(contentsOf: target).count }
      return switch self {
      case .request: session.promise(for: get, maximumBodySize: limit).map(size)
      case .url: session.promise(for: url, maximumBodySize: limit).map(size)
      case .upload: session.promise(for: post, uploading: Data([1]), maximumBodySize: limit).map(size)
      case .uploadOfFile: session.promise(for: post, uploadingFile: file, maximumBodySize: limit).map(size)
      case .download:
        session.promise(for: get, downloadingTo: target, maximumBodySize: limit).map { _ in try sizeOfFile() }
      case .readable: session.promise(for: readable).map { $0.body.count }
      case .readableFile: session.promise(for: readable.body(fileAt: file)).map { $0.body.count }
      case .readableDownload:
        session.promise(for: readable, downloadingTo: target).map { _ in try sizeOfFile() }
      }
    }
  }

  private func expectTooLarge(_ error: (any Error)?, _ limit: Int, _ url: URL) {
    let isExpected = if case .bodyTooLarge(limit, url) = error as? TransferError { true } else { false }
    #expect(isExpected, "\(String(describing: error))")
  }

  @Test("The body of a response that a credential replaces does not count towards the limit")
  func replacedAnswer() async throws {
    let delegate = AskedDelegate(answering: .credential)
    let exchange = try Exchange(delegate: delegate) { request in
      request["Authorization"] == nil ? .challenge([.bytes(pattern(600))]) : .bytes(pattern(1_000))
    }
    let promise = try exchange.session.promise(for: exchange.request("/"), maximumBodySize: 1_000)
    #expect(try await promise.value.0.count == 1_000)
    #expect(exchange.asked.count == 2)
  }

  @Test("A body of exactly the limit is accepted, and one byte more is not", arguments: Way.allCases, [0, 1, 100_000])
  func limit(_ way: Way, _ limit: Int) async throws {
    let exchange = try Exchange { .bytes(pattern($0.path == "/more" ? limit + 1 : limit)) }
    let fits = try exchange.url("/fits")
    let more = try exchange.url("/more")
    #expect(try await way.send(to: fits, atMost: limit, in: exchange).value == limit)
    let error = try await way.send(to: more, atMost: limit, in: exchange).awaitedError
    expectTooLarge(error, limit, more)
    if way.isDownload { #expect(try exchange.folder.bytes(of: "in") == pattern(limit)) }
    #expect(try exchange.folder.names == (way.isDownload ? ["in", "out"] : ["out"]))
  }

  @Test("A response that exceeds the limit ends the request before the whole body has arrived", arguments: Way.allCases)
  func cancelled(_ way: Way) async throws {
    let unfinished = UnfinishedResponse([.bytes(pattern(50)), .bytes(pattern(51))], framing: .length(1_000))
    let exchange = try Exchange { _ in unfinished.response }
    let promise = try way.send(to: exchange.url(), atMost: 100, in: exchange)
    expectTooLarge(await promise.awaitedError, 100, try exchange.url())
    #expect(!promise.isCancelled)
    try await unfinished.left.value
    #expect(try exchange.folder.names == ["out"])
  }

  /// A compressed body. Decompression turns its 132 bytes into 100,000.
  private static let compressed: [UInt8] =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 13, 15, 160]
    + Array(repeating: 0, count: 96) + [128, 87, 3, 125, 149, 17, 212, 160, 134, 1, 0]

  @Test("The limit applies to the size of a compressed body after decompression", arguments: Way.allCases)
  func compressed(_ way: Way) async throws {
    let exchange = try Exchange { _ in
      Response(headers: [("Content-Encoding", "gzip")], pieces: [.bytes(Self.compressed)])
    }
    let url = try exchange.url()
    #expect(try await way.send(to: url, atMost: 100_000, in: exchange).value == 100_000)
    let error = try await way.send(to: url, atMost: 99_999, in: exchange).awaitedError
    expectTooLarge(error, 99_999, url)
  }

  @Test("The error of a refused download has a body of exactly the limit")
  func refusedDownload() async throws {
    let exchange = try Exchange { _ in .bytes(pattern(100), status: 404) }
    let error = await exchange.download(.get(exchange.server.address).maximumBodySize(100)).awaitedError
    #expect((error as? HTTPError)?.response?.body.count == 100)
  }

  @Test("A refused download without a limit of its own ends at the default limit for bodies in memory", .slow)
  func refusedDownloadWithoutLimit() async throws {
    let pieces = Array(repeating: Piece.bytes(Array(repeating: 7, count: 4 << 20)), count: 65)
    let unfinished = UnfinishedResponse(pieces, framing: .chunked)
    let exchange = try Exchange { _ in
      var response = unfinished.response
      response.status = 503
      return response
    }
    let error = await exchange.download(.get(exchange.server.address)).awaitedError
    expectTooLarge(error, 256 << 20, try exchange.url(""))
    try await unfinished.left.value
    #expect(try exchange.folder.names.isEmpty)
  }

  @Test("Bodies in memory have a default limit of 256 MiB, files have none, and the error hides secrets of the URL")
  func defaults() throws {
    let request = HTTPRequest.get("http://host")
    #expect(request.memoryLimit == 268_435_456)
    #expect(request.fileLimit == .max)
    let limited = request.maximumBodySize(7)
    #expect(limited.memoryLimit == 7)
    #expect(limited.fileLimit == 7)
    for (status, limit) in [(200, Int.max), (503, 268_435_456), (302, 268_435_456)] {
      let host = try #require(URL(string: "http://host"))
      let response = try #require(HTTPURLResponse(url: host, statusCode: status, httpVersion: nil, headerFields: nil))
      #expect(request.limit(for: response) == limit)
      #expect(limited.limit(for: response) == 7)
    }
    let url = try #require(URL(string: "https://user:pw@host/a?key=1"))
    let text = "the body from https://host/a?… is larger than the limit of 10 bytes"
    #expect("\(TransferError.bodyTooLarge(limit: 10, url: url))" == text)
  }
}

@Suite("The progress of received bodies", .bounded) struct TransferProgressTests {
  /// Returns a response with a body of 100 bytes. The last 75 bytes wait for the gate.
  private func slow(_ gate: Gate, framing: Response.Framing = .automatic) -> Response {
    Response(pieces: [.bytes(pattern(25)), .call { gate.wait() }, .bytes(pattern(75, from: 25))], framing: framing)
  }

  @Test(
    "The progress is the share of the body that was received, not counting a redirection, and stays after a failure",
    .rule("5.1", "5.2"), arguments: [Transfer.data, .download], ["/whole", "/redirected", "/cut"])
  func share(_ transfer: Transfer, _ path: String) async throws {
    let gate = Gate()
    let exchange = try Exchange { request in
      switch request.target {
      case "/redirected": Response(status: 302, headers: [("Location", "/whole")], pieces: [.bytes(pattern(60))])
      case "/cut": Response(pieces: [.bytes(pattern(25)), .call { gate.wait() }, .cut], framing: .length(100))
      default: slow(gate)
      }
    }
    let begun = try exchange.begin(transfer, path)
    let log = ProgressLog(of: begun.response)
    #expect(try await log.first.value == 0.25)
    #expect(begun.promise.isPending)
    #expect(begun.promise.progress == 0.25)
    gate.open()
    if path == "/cut" {
      #expect(try await log.whole() == [.progress(0.25), .rejected])
      #expect(begun.promise.progress == 0.25)
    } else {
      #expect(try await log.whole().suffix(2) == [.progress(1), .fulfilled])
    }
  }

  @Test(
    "A body whose length is unknown, or that is decompressed, reports no progress before 1, which precedes the value",
    .rule("5.2"), arguments: [Transfer.data, .download], [Response.Framing.chunked, .untilClose, .automatic])
  func unknownLength(_ transfer: Transfer, _ framing: Response.Framing) async throws {
    let gate = Gate()
    let isCompressed = framing == .automatic
    let exchange = try Exchange { _ in
      if !isCompressed { return slow(gate, framing: framing) }
      return Response(headers: [("Content-Encoding", "gzip")], pieces: [.bytes(gzipped)])
    }
    let log = ProgressLog(of: try exchange.begin(transfer).response)
    gate.open()
    #expect(try await log.whole() == [.progress(1), .fulfilled])
    guard transfer == .download else { return }
    #expect(try exchange.folder.bytes(of: "in") == (isCompressed ? Array("who are you?".utf8) : pattern(100)))
  }
}
