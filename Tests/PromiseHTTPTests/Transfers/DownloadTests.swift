import PromiseHTTP
import Testing

@Suite("Downloads", .bounded) struct DownloadTests {
  @Test(
    "A download of a URLRequest or an HTTPRequest writes the whole body to the file, and not to the response",
    arguments: [0, 1, 200_000], [Response.Framing.automatic, .chunked, .untilClose])
  func content(_ count: Int, _ framing: Response.Framing) async throws {
    let exchange = try Exchange { _ in
      Response(headers: [("Content-Type", "a/b")], pieces: [.bytes(pattern(count))], framing: framing)
    }
    let response = try await exchange.download().value
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "a/b")
    let readable = try await exchange.download(.get(exchange.server.address), to: "readable").value
    #expect(readable.status == 200)
    #expect(readable.contentType == "a/b")
    #expect(readable.body.isEmpty)
    for name in ["in", "readable"] { #expect(try exchange.folder.bytes(of: name) == pattern(count)) }
    #expect(try exchange.folder.names == ["in", "readable"])
  }

  @Test("An existing file is replaced only when the whole body has arrived")
  func replaced() async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.text("new "), .call { gate.wait() }, .text("content")])
    }
    _ = try exchange.folder.write(pattern(500), to: "in")
    let promise = try exchange.download()
    _ = try await ProgressLog(of: promise).first.value
    #expect(try exchange.folder.bytes(of: "in") == pattern(500))
    #expect(try exchange.folder.names.filter { !$0.hasPrefix(".") } == ["in"])
    gate.open()
    _ = try await promise.value
    #expect(try exchange.folder.bytes(of: "in") == Array("new content".utf8))
    #expect(try exchange.folder.names == ["in"])
  }

  @Test("A download writes the body of any status, or an empty file", arguments: [201, 400, 404, 500, 204, 205, 304])
  func statuses(_ status: Int) async throws {
    let isBodiless = [204, 205, 304].contains(status)
    let exchange = try Exchange { _ in isBodiless ? .empty(status: status) : .text("why", status: status) }
    #expect(try await exchange.download().value.status == status)
    #expect(try exchange.folder.bytes(of: "in") == Array((isBodiless ? "" : "why").utf8))
  }

  @Test(
    "A download that is cut or cancelled leaves the file unchanged and no partial file behind", .rule("4.1"),
    arguments: [false, true])
  func incomplete(_ isCancelled: Bool) async throws {
    let unfinished = UnfinishedResponse([.bytes(pattern(500))], framing: .length(1_000))
    let cut = Response(pieces: [.bytes(pattern(5_000)), .cut], framing: .length(9_000))
    let exchange = try Exchange { _ in isCancelled ? unfinished.response : cut }
    _ = try exchange.folder.write([1, 2, 3], to: "in")
    let promise = try exchange.download()
    if isCancelled {
      #expect(try await ProgressLog(of: promise).first.value == 0.5)
      promise.cancel()
      try await unfinished.left.value
      #expect(promise.isCancelled)
      // The server may see the cancellation before the client has removed its partial file.
      try await exchange.folder.waitUntilNothingIsWritten()
    } else {
      #expect(await promise.awaitedError is URLError)
    }
    try expectUnchanged(exchange.folder)
  }

  @Test("A download into a directory that does not exist rejects with CocoaError")
  func missingDirectory() async throws {
    let exchange = try Exchange { _ in .text("body") }
    let promise = try exchange.download(to: "missing/in")
    #expect((await promise.awaitedError as? CocoaError)?.code == .fileNoSuchFile)
    #expect(try exchange.folder.names.isEmpty)
  }

  @Test("File names may contain spaces, signs and umlauts", arguments: ["a b", "100%41", "grüße", ".hidden", "a+b&c"])
  func names(_ name: String) async throws {
    let exchange = try Exchange { _ in .text("body") }
    _ = try await exchange.download(to: name).value
    #expect(try exchange.folder.names == [name])
    #expect(try exchange.folder.bytes(of: name) == Array("body".utf8))
  }

  @Test("A download of a URLRequest or an HTTPRequest sends the whole request", arguments: [nil, false, true])
  func request(_ bodyIsFile: Bool?) async throws {
    let exchange = try Exchange {
      .text("\($0.method) \($0.target) \($0["X-A"] ?? "") \($0["Content-Type"] ?? "") \($0.bodyText)")
    }
    let plain = HTTPRequest.post(exchange.server.address + "/{p}", ["p": "a b"]).query(["q": 1]).header("X-A", "h")
    let data = plain.body(Data("body".utf8), type: "t/x")
    let file = try exchange.folder.write(Array("body".utf8), to: "out")
    let target = exchange.folder.file("in")
    switch bodyIsFile {
    case nil: _ = try await exchange.session.promise(for: data.urlRequest(), downloadingTo: target).value
    case false?: _ = try await exchange.download(data).value
    case true?: _ = try await exchange.download(plain.body(fileAt: file, type: "t/x")).value
    }
    #expect(try String(decoding: Data(contentsOf: target), as: UTF8.self) == "POST /a%20b?q=1 h t/x body")
  }

  @Test("Two downloads to the same file leave the complete body of either of them")
  func sameFile() async throws {
    let exchange = try Exchange { .bytes(Array(repeating: $0.target == "/a" ? 1 : 2, count: 50_000)) }
    let promises = try ["/a", "/b"].map { try exchange.download($0) }
    for promise in promises { _ = try await promise.value }
    let bytes = try exchange.folder.bytes(of: "in")
    #expect(bytes.count == 50_000)
    #expect(Set(bytes).count == 1)
    #expect(try exchange.folder.names == ["in"])
  }

  @Test(
    "A status that the HTTPRequest refuses leaves the file unchanged, and its body is in the error",
    arguments: [400, 401, 404, 500])
  func refused(_ status: Int) async throws {
    let exchange = try Exchange { _ in .json(#"{"reason": "because"}"#, status: status) }
    _ = try exchange.folder.write([1, 2, 3], to: "in")
    let request = HTTPRequest.get(exchange.server.address)
    let error = await exchange.download(request).awaitedError
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    #expect(try response.decoded(as: [String: String].self) == ["reason": "because"])
    try expectUnchanged(exchange.folder)
    #expect(try await exchange.download(request.accepting(status...status)).value.status == status)
    #expect(try exchange.folder.bytes(of: "in") == Array(response.body))
  }

  #if canImport(FoundationNetworking)
    /// This test runs only on Linux, because on Apple's systems Foundation itself writes the file.
    @Test("A download to a full disk rejects with CocoaError, ends its request and leaves no partial file")
    func fullMeanwhile() async throws {
      let gate = Gate()
      let unfinished = UnfinishedResponse()
      let exchange = try Exchange { _ in
        let pieces: [Piece] = [.bytes(pattern(500)), .call { gate.wait() }, .bytes(pattern(500))]
        return Response(pieces: pieces + unfinished.response.pieces, framing: .length(2_000))
      }
      _ = try exchange.folder.write([1, 2, 3], to: "in")
      let promise = try exchange.download()
      #expect(try await ProgressLog(of: promise).first.value == 0.25)
      try fillDisk(of: exchange.folder)
      gate.open()
      #expect((await promise.awaitedError as? CocoaError)?.code == .fileWriteOutOfSpace)
      try await unfinished.left.value
      try expectUnchanged(exchange.folder)
    }
  #endif

  /// Checks that a folder contains only the file `in` with its first content.
  private func expectUnchanged(_ folder: Folder) throws {
    #expect(try folder.names == ["in"])
    #expect(try folder.bytes(of: "in") == [1, 2, 3])
  }
}

#if canImport(FoundationNetworking)
  @Suite("Encodings that requests accept", .bounded)
  struct EncodingTests {
    @Test("A download and a stream ask for an uncompressed body, and a request in memory does not")
    func encodings() async throws {
      let exchange = try Exchange { _ in .text("done") }
      let request = HTTPRequest.get(exchange.server.address)
      _ = try await exchange.download().value
      _ = try await exchange.download(request).value
      for try await _ in try await exchange.session.stream(for: request).value.chunks {}
      _ = try await exchange.session.promise(for: exchange.request()).value
      let encodings = exchange.server.requests.map { $0["Accept-Encoding"] }
      #expect(encodings.dropLast() == ["identity", "identity", "identity"])
      #expect(encodings.last??.contains("gzip") == true)
    }

    @Test("An encoding that the caller or the session asks for is not replaced", arguments: [true, false])
    func ownHeader(_ isOfSession: Bool) async throws {
      let exchange = try Exchange(headers: isOfSession ? ["accept-encoding": "gzip"] : nil) { _ in .text("done") }
      let request = HTTPRequest.get(exchange.server.address)
      _ = try await exchange.download(isOfSession ? request : request.header("accept-encoding", "gzip")).value
      #expect(exchange.server.requests.map { $0["Accept-Encoding"] } == ["gzip"])
    }
  }
#endif
