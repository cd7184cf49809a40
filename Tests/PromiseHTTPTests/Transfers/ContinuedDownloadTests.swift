import PromiseCombinators
import PromiseHTTP
import Testing

@Suite("Downloads that continue", .bounded) struct ContinuedDownloadTests {
  @Test("A download that breaks off at any byte continues there, and the file appears when it is whole")
  func everyByte() async throws {
    for place in 0..<48 {
      let server = try FilmServer(pattern(48), endingAfter: { $0 == 1 ? place : nil })
      let error = await server.download().awaitedError
      let part = (error as? DownloadInterruptedError)?.part
      #expect(part?.size == (place == 0 ? nil : Int64(place)))
      #expect(part?.bodySize == (place == 0 ? nil : 48))
      #expect(try server.folder.names == (place == 0 ? [] : [".in.part", ".in.part.json"]))
      let response = try await server.download(continuing: part).value
      #expect(response.status == (place == 0 ? 200 : 206))
      #expect(server.ranges == [nil, place == 0 ? nil : "bytes=\(place)-"])
      #expect(server.exchange.server.requests.last?["If-Range"] == (place == 0 ? nil : "\"1\""))
      try server.expectWhole()
    }
  }

  @Test("A retry that gets one byte in each attempt has the whole file, and its progress is that of the file")
  func byteByByte() async throws {
    let server = try FilmServer(pattern(16), endingAfter: { $0 < 16 ? 1 : nil })
    let seen = Log<Double>()
    let film = Promise.retry(
      attempts: 16, backoff: .constant(.zero), until: .finished, carrying: DownloadPart(beside: server.file)
    ) { attempt in
      let part = (attempt.lastError as? DownloadInterruptedError)?.part ?? attempt.carried
      return server.download(continuing: part).onRejected(on: .atOnce) { _ in seen.append(Double(attempt.number)) }
    }
    let progress = ProgressLog(of: film)
    _ = try await film.value
    try server.expectWhole()
    #expect(seen.entries.count == 15)
    #expect(server.ranges == [nil] + (1..<16).map { "bytes=\($0)-" })
    for number in try await progress.numbers() {
      // Each value is a number of bytes, of which there are 16.
      #expect(abs(number * 16 - (number * 16).rounded()) < 1e-6)
    }
  }

  @Test("A large download that breaks off at random places has the whole file", arguments: [1, 2, 3] as [UInt64])
  func randomPlaces(seed: UInt64) async throws {
    var random = SeededNumbers(seed: seed)
    let places = (0..<12).map { _ in Int(random.next() % 700_000) }
    let server = try FilmServer(
      pattern(3_000_000),
      changing: { number, response in
        // Some connections are closed, and some are reset, so that bytes may be lost that were sent before.
        if number <= places.count, number.isMultiple(of: 2) { response.pieces.append(.cut) }
      }, endingAfter: { $0 <= places.count ? places[$0 - 1] : nil })
    let film = Promise.retry(
      attempts: 20, backoff: .constant(.zero), until: .finished, carrying: ()
    ) { attempt in
      server.download(continuing: DownloadPart(beside: server.file))
    }
    _ = try await film.value
    try server.expectWhole()
    #expect(server.ranges.count > 4)
  }

  @Test("Between the attempts, and while they run, an existing file keeps its content, and then its permissions")
  func replaced() async throws {
    let gate = Gate()
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        if number == 2 {
          response.pieces = [.bytes(pattern(20, from: 40)), .call { gate.wait() }, .bytes(pattern(40, from: 60))]
        }
      }, endingAfter: { $0 == 1 ? 40 : nil })
    _ = try server.folder.write([1, 2, 3], to: "in")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: server.file.path)
    let part = try await server.interrupted()
    #expect(try server.folder.bytes(of: "in") == [1, 2, 3])
    let download = server.download(continuing: part)
    _ = try await ProgressLog(of: download).first.value
    #expect(try server.folder.bytes(of: "in") == [1, 2, 3])
    gate.open()
    _ = try await download.value
    try server.expectWhole()
    #expect(try permissions(of: server.file) == 0o640)
  }

  @Test("A part that is whole, but could not replace the file, is completed by a request for its last byte")
  func wholePart() async throws {
    let path = Log<String>()
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        guard number == 1 else { return }
        response.pieces = [
          .bytes(pattern(40)), .call { _ = unsafe mkfifo(path.entries[0], 0o600) }, .bytes(pattern(60, from: 40)),
        ]
      })
    path.append(server.file.path)
    let error = try #require(await server.download().awaitedError as? DownloadInterruptedError)
    #expect(error.underlyingError.caseName == "TransferError.notRegularFile")
    #expect(error.part.size == 100)
    try FileManager.default.removeItem(at: server.file)
    _ = try await server.download(continuing: error.part).value
    #expect(server.ranges == [nil, "bytes=99-"])
    try server.expectWhole()
  }

  @Test("A part may be read by its owner only")
  func privateParts() async throws {
    let server = try FilmServer(pattern(100), endingAfter: { $0 == 1 ? 40 : nil })
    _ = try await server.interrupted()
    for name in [".in.part", ".in.part.json"] { #expect(try permissions(of: server.folder.file(name)) == 0o600) }
  }

  private func permissions(of file: URL) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("A part that is found on disk counts in the progress, and one that a promise has shown does not")
  func progress() async throws {
    let gate = Gate()
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        guard number > 1, case .bytes(let bytes)? = response.pieces.first else { return }
        response.pieces = [.bytes(Array(bytes.prefix(20))), .call { gate.wait() }, .bytes(Array(bytes.dropFirst(20)))]
      }, endingAfter: { $0 == 1 ? 40 : nil })
    let part = try await server.interrupted()
    let found = try #require(DownloadPart(beside: server.file))
    #expect(found.size == 40)
    #expect(found.bodySize == 100)
    let fromDisk = server.download(continuing: found)
    #expect(try await ProgressLog(of: fromDisk).first.value == 0.6)
    await cancelAndFinish(fromDisk)
    let shown = server.download(continuing: part)
    #expect(try await ProgressLog(of: shown).first.value > 0.3)
    gate.open()
    _ = try await shown.value
    try server.expectWhole()
  }

  @Test("A cancelled download keeps its part, which is found when the promise has finished", .rule("2.11"))
  func cancelled() async throws {
    let unfinished = UnfinishedResponse()
    let server = try FilmServer(
      pattern(100),
      changing: { number, response in
        guard number == 1 else { return }
        response.pieces = [.bytes(pattern(40))] + unfinished.response.pieces
        response.framing = .length(100)
      })
    let download = server.download()
    #expect(try await ProgressLog(of: download).first.value == 0.4)
    await cancelAndFinish(download)
    #expect(download.isCancelled)
    let part = try #require(DownloadPart(beside: server.file))
    #expect(part.size == 40)
    _ = try await server.download(continuing: part).value
    #expect(server.ranges == [nil, "bytes=40-"])
    try server.expectWhole()
  }

  private func cancelAndFinish(_ download: Promise<HTTPResponse>) async {
    download.cancel()
    _ = try? await download.whenFinished().value
  }

  @Test("While a download has not finished, another one to the same file is refused")
  func inUse() async throws {
    let unfinished = UnfinishedResponse()
    let server = try FilmServer(
      pattern(100),
      changing: { _, response in
        response.pieces = [.bytes(pattern(40))] + unfinished.response.pieces
        response.framing = .length(100)
      })
    let first = server.download()
    _ = try await ProgressLog(of: first).first.value
    let error = await server.download(continuing: DownloadPart(beside: server.file)).awaitedError
    #expect(error?.caseName == "TransferError.partInUse")
    #expect(throws: TransferError.self) { try DownloadPart(beside: server.file)?.remove() }
    #expect(server.ranges.count == 1)
    await cancelAndFinish(first)
    try DownloadPart(beside: server.file)?.remove()
    #expect(try server.folder.names.isEmpty)
  }

  #if canImport(FoundationNetworking)
    /// This test runs only on Linux, because it finds the open file in /proc.
    @Test("A download to a full disk has the error of the disk, and keeps the part")
    func full() async throws {
      let gate = Gate()
      let server = try FilmServer(
        pattern(100),
        changing: { number, response in
          guard number == 1 else { return }
          response.pieces = [.bytes(pattern(40)), .call { gate.wait() }, .bytes(pattern(60))]
          response.framing = .length(100)
        })
      let download = server.download()
      #expect(try await ProgressLog(of: download).first.value == 0.4)
      try fillDisk(of: server.folder)
      gate.open()
      let error = try #require(await download.awaitedError as? DownloadInterruptedError)
      #expect((error.underlyingError as? CocoaError)?.code == .fileWriteOutOfSpace)
      #expect(error.part.size == 40)
      _ = try await download.whenFinished().value
      _ = try await server.download(continuing: error.part).value
      try server.expectWhole()
    }
  #endif
}

/// Random numbers that a seed determines (SplitMix64).
private struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var number = state
    number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
    return number ^ number >> 31
  }
}
