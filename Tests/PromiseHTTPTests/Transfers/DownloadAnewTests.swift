import Testing

@testable import PromiseHTTP

@Suite("Downloads that cannot continue", .bounded) struct DownloadAnewTests {
  /// The reason why no other response can continue one.
  enum Unidentified: CaseIterable, Sendable {
    case nothing, weakTag, weakTagWithDate, sameSecond, noDateOfResponse, compressed, post
  }

  @Test("A response without a strong validator leaves no part", arguments: Unidentified.allCases)
  func unidentified(_ reason: Unidentified) async throws {
    let server = try FilmServer(
      pattern(100), validator: nil,
      changing: { _, response in
        let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:36 GMT")
        switch reason {
        case .nothing: break
        case .weakTag: response.headers.append(("ETag", "W/\"1\""))
        case .weakTagWithDate: response.headers += [("ETag", "W/\"1\""), modified]
        case .sameSecond: response.headers.append(("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))
        case .noDateOfResponse: response.headers = [modified]
        case .compressed: response.headers += [("ETag", "\"1\""), ("Content-Encoding", "br")]
        case .post: response.headers.append(("ETag", "\"1\""))
        }
      }, endingAfter: { _ in 40 })
    let request = reason == .post ? HTTPRequest.post("\(server.exchange.server.address)/film") : server.request()
    #expect(await server.download(request).awaitedError is URLError)
    #expect(try server.folder.names.isEmpty)
    #expect(DownloadPart(beside: server.file) == nil)
  }

  @Test("A date that is a second older than the response identifies it")
  func date() async throws {
    let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:36 GMT")
    let server = try FilmServer(pattern(100), validator: modified, endingAfter: { $0 == 1 ? 40 : nil })
    _ = try await server.download(continuing: server.interrupted()).value
    #expect(server.exchange.server.requests.last?["If-Range"] == modified.1)
    #expect(server.ranges == [nil, "bytes=40-"])
    try server.expectWhole()
  }

  /// An answer to the request for the rest after which the download begins anew.
  enum Answer: CaseIterable, Sendable {
    case whole, otherTag, weakTag, otherLength, unsatisfiable, compressed

    func change(_ response: inout Response) {
      switch self {
      case .whole: response = Response(headers: [("ETag", "\"2\"")], pieces: [.bytes(pattern(100))])
      case .otherTag: response.headers = response.headers.map { $0.0 == "ETag" ? ("ETag", "\"2\"") : $0 }
      case .weakTag: response.headers = response.headers.map { $0.0 == "ETag" ? ("ETag", "W/\"1\"") : $0 }
      case .otherLength:
        response.headers = response.headers.map { $0.0 == "Content-Range" ? ($0.0, "bytes 40-99/200") : $0 }
      case .unsatisfiable: response = .text("no such range", status: 416)
      case .compressed: response.headers.append(("Content-Encoding", "br"))
      }
    }
  }

  @Test("If the server has another version, the download begins anew", arguments: Answer.allCases)
  func changed(_ answer: Answer) async throws {
    let server = try FilmServer(
      pattern(100), changing: { number, response in if number == 2 { answer.change(&response) } },
      endingAfter: { $0 == 1 ? 40 : nil })
    let part = try await server.interrupted()
    let response = try await server.download(continuing: part).value
    #expect(response.status == 200)
    #expect(server.ranges == (answer == .whole ? [nil, "bytes=40-"] : [nil, "bytes=40-", nil]))
    try server.expectWhole()
  }

  @Test("If the whole body comes instead of the rest, and breaks off, the new part is of the new version")
  func changedTwice() async throws {
    let server = try FilmServer(
      pattern(100), changing: { number, response in if number == 2 { Answer.whole.change(&response) } },
      endingAfter: { $0 == 1 ? 40 : $0 == 2 ? 70 : nil })
    let error = await server.download(continuing: try server.interrupted()).awaitedError
    let part = try #require((error as? DownloadInterruptedError)?.part)
    #expect(part.size == 70)
    // The server has the first version again.
    #expect(try await server.download(continuing: part).value.status == 200)
    #expect(server.exchange.server.requests.last?["If-Range"] == "\"2\"")
    try server.expectWhole()
  }

  @Test("A part of another address, or one that was removed or replaced, is not continued", arguments: 0..<3)
  func otherPart(_ reason: Int) async throws {
    let server = try FilmServer(pattern(100), endingAfter: { $0 == 1 ? 40 : nil })
    let part = try await server.interrupted()
    switch reason {
    case 0: break
    case 1: try part.remove()
    default: try Data("{}".utf8).write(to: server.folder.file(".in.part.json"))
    }
    _ = try await server.download(reason == 0 ? server.request("/other") : nil, continuing: part).value
    #expect(server.ranges == [nil, nil])
    try server.expectWhole()
  }

  @Test("A download that begins anew keeps the former part until a response has come")
  func untouched() async throws {
    let server = try FilmServer(
      pattern(100), changing: { number, response in if number == 2 { response = .text("later", status: 503) } },
      endingAfter: { $0 == 1 ? 40 : nil })
    let part = try await server.interrupted()
    let error = await server.download().awaitedError
    #expect(error?.caseName == "HTTPError.status")
    _ = try await server.download(continuing: part).value
    #expect(server.ranges == [nil, nil, "bytes=40-"])
    try server.expectWhole()
  }

  @Test("A part that was not requested is an error, and so is one that does not begin where it was requested")
  func unexpectedRange() async throws {
    let unasked = try FilmServer(
      pattern(100),
      changing: { _, response in
        response.status = 206
        response.headers.append(("Content-Range", "bytes 0-99/100"))
      })
    #expect(await unasked.download().awaitedError?.caseName == "TransferError.unexpectedRange")
    #expect(try unasked.folder.names.isEmpty)
    for range in ["bytes 39-98/100", "bytes 41-100/101", "bytes 40-98/100", "bytes 40-99/", nil] {
      let server = try FilmServer(
        pattern(100),
        changing: { number, response in
          guard number == 2 else { return }
          response.headers.removeAll { $0.0 == "Content-Range" }
          if let range { response.headers.append(("Content-Range", range)) }
        }, endingAfter: { $0 == 1 ? 40 : nil })
      let part = try await server.interrupted()
      let error = await server.download(continuing: part).awaitedError as? DownloadInterruptedError
      #expect(error?.underlyingError.caseName == "TransferError.unexpectedRange")
      #expect(error?.part.size == 40)
      _ = try await server.download(continuing: error?.part).value
      try server.expectWhole()
    }
  }

  @Test("A status that the request refuses keeps the part, and its body is in the error")
  func refused() async throws {
    let server = try FilmServer(
      pattern(100), changing: { number, response in if number == 2 { response = .text("later", status: 503) } },
      endingAfter: { $0 == 1 ? 40 : nil })
    let error = await server.download(continuing: try server.interrupted()).awaitedError as? DownloadInterruptedError
    #expect((error?.underlyingError as? HTTPError)?.response?.text == "later")
    _ = try await server.download(continuing: error?.part).value
    try server.expectWhole()
  }

  @Test("The rest may come in several parts, and the limit counts the whole body")
  func shorterRange() async throws {
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        guard number == 2 else { return }
        response.headers = response.headers.map { $0.0 == "Content-Range" ? ($0.0, "bytes 40-59/100") : $0 }
        response.pieces = [.bytes(Array(pattern(100)[40..<60]))]
      }, endingAfter: { $0 == 1 ? 40 : nil })
    let error = await server.download(continuing: try server.interrupted()).awaitedError as? DownloadInterruptedError
    #expect(error?.part.size == 60)
    let limited = await server.download(server.request().maximumBodySize(99), continuing: error?.part).awaitedError
    #expect(limited?.caseName == "TransferError.bodyTooLarge")
    #expect(try server.folder.names.isEmpty)
    #expect(server.ranges == [nil, "bytes=40-", "bytes=60-"])
  }

  @Test("If neither the part nor the answer has a length, the download begins anew, because the rest may be incomplete")
  func unknownLength() async throws {
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        response.framing = .chunked
        if number == 1 { response.pieces = [.bytes(Array(pattern(100)[..<40])), .cut] }
        guard number == 2 else { return }
        response.headers = response.headers.map { $0.0 == "Content-Range" ? ($0.0, "bytes 40-59/*") : $0 }
        response.pieces = [.bytes(Array(pattern(100)[40..<60]))]
      })
    let part = try await server.interrupted()
    #expect(part.size == 40)
    #expect(part.bodySize == nil)
    #expect(try await server.download(continuing: part).value.status == 200)
    #expect(server.ranges == [nil, "bytes=40-", nil])
    try server.expectWhole()
  }

  @Test("A link in place of the part is refused, and nothing is sent")
  func link() async throws {
    let server = try FilmServer(pattern(100))
    let other = try server.folder.write([1, 2, 3], to: "other")
    try FileManager.default.createSymbolicLink(at: server.folder.file(".in.part"), withDestinationURL: other)
    #expect(await server.download().awaitedError is CocoaError)
    #expect(try server.folder.bytes(of: "other") == [1, 2, 3])
    #expect(server.ranges.isEmpty)
  }

  #if os(Linux)
    @Test("A part that was closed can be opened again while a program that is being started still has its descriptor")
    func inherited() throws {
      let folder = try Folder()
      let file = try PartFile(beside: folder.file("in"))
      let path = folder.file(".in.part").resolvingSymlinksInPath().path
      let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(CInt.init).filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }
      // As a fork does, until the new program begins.
      let copies = own.map { dup($0) }
      defer { for copy in copies { _ = Glibc.close(copy) } }
      #expect(!copies.isEmpty)
      file.close()
      try PartFile(beside: folder.file("in")).remove()
    }

    @Test("A file that cannot replace another one stays as it was, and so does the other")
    func unmoved() throws {
      let folder = try Folder()
      let file = try folder.write([1, 2, 3], to: "part")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      // Another file system, to which nothing can be renamed.
      let other = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
      try Data([4]).write(to: other)
      defer { try? FileManager.default.removeItem(at: other) }
      #expect(throws: CocoaError.self) { try file.replace(other) }
      #expect(try folder.bytes(of: "part") == [1, 2, 3])
      #expect(try Data(contentsOf: other) == Data([4]))
      #expect(try file.permissionsToKeep() == 0o600)
    }
  #endif

  @Test("Content-Range is read as HTTP defines it")
  func contentRange() {
    #expect(ContentRange("bytes 5-9/10").map { [$0.first, $0.last, $0.length ?? -1] } == [5, 9, 10])
    #expect(ContentRange("Bytes 0-0/*").map { [$0.first, $0.last, $0.length ?? -1] } == [0, 0, -1])
    for text in [
      "", "bytes", "bytes */10", "bytes 5-/10", "bytes -5/10", "bytes 6-5/10", "bytes 5-10/10", "bytes 5-9",
      "items 5-9/10",
      "bytes 5-9/10/11", "bytes +5-9/10", "bytes 5-9/99999999999999999999", "bytes 5 - 9/10",
    ] {
      #expect(ContentRange(text) == nil, "\(text)")
    }
  }

  @Test("Descriptions name the file, the bytes and the reason")
  func descriptions() async throws {
    let server = try FilmServer(pattern(100), endingAfter: { $0 == 1 ? 40 : nil })
    let part = try await server.interrupted()
    #expect("\(part)" == "40 of 100 bytes of \(server.file.path)")
    let error = DownloadInterruptedError(part: part, underlyingError: TransferError.partInUse(server.file))
    #expect(
      "\(error)"
        == "the download was interrupted after \(part): another download to \(server.file.path) has not finished")
    #expect(error.localizedDescription == "\(error)")
    #expect(
      "\(TransferError.unexpectedRange("bytes 1-2/3", url: nil))"
        == "the part \"bytes 1-2/3\" from an unknown place was not requested")
  }
}
