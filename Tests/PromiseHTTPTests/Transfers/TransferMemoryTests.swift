import PromiseHTTP
import PromiseProcesses
import Testing

@Suite("Lifetimes of requests", .leavingNothing, .bounded) struct SharedRequestTests {
  @Test("A request runs to its end even if no client retains its promise", .rule("6.1"))
  func unheld() async throws {
    let done = Deferred<Int>()
    let exchange = try Exchange { _ in .text("four") }
    try exchange.session.promise(for: exchange.request()).onFulfilled(on: .pool) { done.fulfill($0.0.count) }
    #expect(try await done.promise.value == 4)
  }

  /// The way in which a request ends.
  enum End: String, CaseIterable, Sendable {
    case fulfilled, rejected, cancelled, cancelledBySession
  }

  @Test("A request that has ended releases the value it sent", .rule("6.3"), arguments: [true, false], End.allCases)
  func sentIsReleased(_ isDownload: Bool, _ end: End) async throws {
    let gone = Deferred<Void>()
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in
      switch end {
      case .fulfilled: .text("done")
      case .rejected: .cut
      case .cancelled, .cancelledBySession: unfinished.response
      }
    }
    let session = URLSession(configuration: .patient)
    let promise = send(
      AtEnd { gone.fulfill() }, to: exchange.server.address, in: session,
      file: isDownload ? exchange.folder.file("in") : nil)
    if end == .cancelled || end == .cancelledBySession { try await unfinished.sent.value }
    if end == .cancelled { promise.cancel() }
    if end == .cancelledBySession { session.invalidateAndCancel() }
    try await gone.promise.value
    if end != .cancelledBySession { session.finishTasksAndInvalidate() }
  }

  /// Sends the farewell in a request, which is its only owner.
  private func send(_ farewell: AtEnd, to address: String, in session: URLSession, file: URL?) -> AnyPromise {
    let request = HTTPRequest.post(address).json(LastWords(farewell: farewell))
    guard let file else { return session.promise(for: request) }
    return session.promise(for: request, downloadingTo: file)
  }

  private struct LastWords: Encodable, Sendable {
    let farewell: AtEnd
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("bye")
    }
  }
}

#if canImport(FoundationNetworking)
  // Each test measures its own process, so that other tests do not count.
  @Suite("Memory of transfers", .bounded)
  struct TransferMemoryTests {
    @Test("A file is not loaded into memory to be sent")
    func upload() async {
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        // The server refuses the body because of its length, and so does not keep it in this process.
        let server = try LoopbackServer(bodyLimit: 1_000) { _ in .text("never") }
        let file = try folder.write([], to: "out")
        try FileHandle(forWritingTo: file).truncate(atOffset: 256 << 20)
        let request = HTTPRequest.post(server.address).accepting(413...413)
        let session = URLSession(configuration: .patient)
        let before = try mostResidentBytes()
        let ways: [() throws -> Promise<Int>] = [
          { try session.promise(for: request.urlRequest(), uploadingFile: file).map { $0.1.status } },
          { session.promise(for: request.body(fileAt: file)).map(\.status) },
          { session.promise(for: request.body(fileAt: file), downloadingTo: folder.file("in")).map(\.status) },
        ]
        for (number, send) in ways.enumerated() {
          #expect(try await send().value == 413)
          #expect(try mostResidentBytes() - before < 100 << 20, "way \(number)")
        }
      }
    }

    @Test("A body that is refused while it is decompressed does not accumulate in memory", .slow)
    func bomb() async {
      await #expect(processExitsWith: .success) {
        let bytes = try await shell("head -c 536870912 /dev/zero | gzip").run().map { Array($0.output) }.value
        let server = try LoopbackServer { _ in
          Response(headers: [("Content-Encoding", "gzip")], pieces: [.bytes(bytes)])
        }
        let before = try mostResidentBytes()
        let request = HTTPRequest.get(server.address).maximumBodySize(1_000)
        let error = await URLSession(configuration: .patient).promise(for: request).awaitedError
        #expect(error?.caseName == "TransferError.bodyTooLarge")
        #expect(try mostResidentBytes() - before < 256 << 20)
      }
    }
  }
#endif
