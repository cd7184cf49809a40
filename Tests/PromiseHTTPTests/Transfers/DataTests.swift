import PromiseHTTP
import Testing

@Suite("Requests for data", .bounded) struct DataTests {
  @Test("The body, the status and the headers arrive as the server sent them")
  func wholeAnswer() async throws {
    let exchange = try Exchange { _ in
      Response(
        status: 201, headers: [("Content-Type", "text/plain; charset=utf-8"), ("X-Mark", "a; b=\"c, d\"")],
        pieces: [.text("grüß "), .text("Gott")])
    }
    let (data, response) = try await exchange.session.promise(for: exchange.request("/a/b?c=d")).value
    #expect(String(decoding: data, as: UTF8.self) == "grüß Gott")
    #expect(response.status == 201)
    #expect(["content-type", "X-Mark"].map { response[$0] } == ["text/plain; charset=utf-8", "a; b=\"c, d\""])
    #expect(response.expectedContentLength == 11)
    #expect(try response.url == exchange.url("/a/b?c=d"))
    #expect(exchange.asked == ["GET /a/b?c=d"])
  }

  @Test("The response to HEAD has the length of the body in its head, and no body")
  func head() async throws {
    let exchange = try Exchange { _ in .text("twelve bytes") }
    let promise = try exchange.session.promise(for: exchange.request(method: "HEAD"))
    let log = ProgressLog(of: promise)
    let (data, response) = try await promise.value
    #expect(data.isEmpty)
    #expect(response["Content-Length"] == "12")
    #expect(try await log.whole() == [.progress(1), .fulfilled])
  }

  @Test("An interim response (103) is ignored")
  func interim() async throws {
    let text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let exchange = try Exchange { _ in Response(pieces: [.text(text)], framing: .raw) }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(response.status == 200)
    #expect(String(decoding: data, as: UTF8.self) == "ok")
  }
}

@Suite("Connections that end too early", .bounded) struct CutTests {
  private static let head = "HTTP/1.1 200 OK\r\n"
  /// What a server sends before the connection ends. The last texts are not HTTP.
  private static let beginnings = [
    "", head + "Content-Length: 5\r\nContent-Ty", head + "Content-Length: 5\r\n\r\n",
    head + "Content-Length: 500\r\n\r\n" + String(repeating: "a", count: 300),
    head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\nabc",
    head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    "hello\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/9 x\r\n\r\n",
  ]

  @Test("A connection that ends too early rejects with the session's error", arguments: Transfer.allCases, beginnings)
  func ends(_ transfer: Transfer, _ text: String) async throws {
    let endings: [[Piece]] = [[.text(text), .cut], [.text(text)]]
    for pieces in endings {
      let exchange = try Exchange { _ in Response(pieces: pieces, framing: .raw) }
      let begun = try exchange.begin(transfer)
      #expect(await begun.response.awaitedError is URLError)
      #expect(!begun.promise.isCancelled)
      #expect(try exchange.folder.names.allSatisfy { $0 == "out" })
    }
  }

  @Test(
    "A request to an unreachable server, or one that is redirected to it, rejects with cannotConnectToHost",
    arguments: Transfer.allCases)
  func refused(_ transfer: Transfer) async throws {
    // No server of another test can get this port.
    let unreachable = "http://127.0.0.1:1"
    let exchange = try Exchange { _ in .redirect(to: unreachable) }
    let request = URLRequest(url: try #require(URL(string: unreachable)))
    let begun = try transfer.begin(request, in: exchange.session, folder: exchange.folder)
    #expect((await begun.response.awaitedError as? URLError)?.code == .cannotConnectToHost)
    #expect(begun.promise.progress == 0)
    let redirected = try exchange.begin(transfer).response
    #expect((await redirected.awaitedError as? URLError)?.code == .cannotConnectToHost)
  }
}

@Suite("Many requests at once", .bounded) struct ManyRequestsTests {
  /// The fate of a request. The server cuts multiples of five, and the test cancels all other multiples of three.
  private enum Fate {
    case answered, cancelled, cut

    init(_ number: Int) { self = number.isMultiple(of: 5) ? .cut : number.isMultiple(of: 3) ? .cancelled : .answered }
  }

  @Test("Each request gets its own response although others are cancelled or cut at the same time", .rule("4.1"))
  func mixed() async throws {
    let cancelling = Locked(0)
    let gone = Locked(0)
    let reached = Deferred<Void>()
    let closed = Deferred<Void>()
    let count = (0..<100).count { Fate($0) == .cancelled }
    let exchange = try Exchange(connections: 100) { request in
      let number = Int(request.target.dropFirst()) ?? 0
      let half = Piece.bytes(pattern(5_000, from: number))
      return switch Fate(number) {
      case .answered: Response(pieces: [half, half])
      case .cut: Response(pieces: [half, .cut], framing: .length(10_000))
      case .cancelled:
        Response(
          pieces: [
            half, .call { if cancelling.increment() == count { reached.fulfill() } }, .untilGone,
            .call { if gone.increment() == count { closed.fulfill() } },
          ], framing: .length(10_000))
      }
    }
    let reports = Log<SecondSettlement>()
    let session = exchange.session
    let requests = try (0..<100).map { try exchange.request("/\($0)") }
    let promises = Diagnostics.scoped(secondSettlement: reports.append) { requests.map { session.promise(for: $0) } }
    try await reached.promise.value
    for (number, promise) in promises.enumerated() where Fate(number) == .cancelled { promise.cancel() }
    try await closed.promise.value
    let results = try await Promise.allSettled(promises).value
    for (number, result) in results.enumerated() {
      switch (Fate(number), result) {
      case (.answered, .success(let (data, _))):
        #expect(Array(data) == pattern(5_000, from: number) + pattern(5_000, from: number))
      case (.cut, .failure(let error)): #expect(error is URLError)
      case (.cancelled, .failure(let error)): #expect(error is CancellationError)
      default: Issue.record("request \(number): \(result)")
      }
    }
    #expect(promises.allSatisfy { !$0.isPending })
    #expect(reports.entries.isEmpty)
  }
}
