import PromiseHTTP
import PromiseProcesses
import Testing

@Suite("Uploads", .bounded) struct UploadTests {
  @Test(
    "The server receives exactly the bytes of the upload, and not the request's own body",
    arguments: ["POST", "PUT", "PATCH"], [0, 1, 300_000])
  func bytes(_ method: String, _ count: Int) async throws {
    let exchange = try Exchange { .text("\($0.body.count)", status: 201) }
    var withBody = try exchange.request(method: method)
    withBody.httpBody = Data("its own".utf8)
    let promises = [
      try exchange.upload(pattern(count), fromFile: false, method: method),
      try exchange.upload(pattern(count), fromFile: true, method: method),
      exchange.session.promise(for: withBody, uploading: Data(pattern(count))),
    ]
    for promise in promises {
      let (data, response) = try await promise.value
      #expect(String(decoding: data, as: UTF8.self) == "\(count)")
      #expect(response.status == 201)
    }
    #expect(exchange.server.requests.map(\.method) == [method, method, method])
    #expect(exchange.server.requests.allSatisfy { $0.body == pattern(count) })
  }

  @Test(
    "The progress of an upload is the share of the body that was sent, regardless of the response", .rule("5.1"),
    arguments: [true, false])
  func progress(_ fromFile: Bool) async throws {
    let gate = Gate()
    // The first half of the response arrives after the whole body was sent. So all progress before the gate opens is
    // progress of sending.
    let exchange = try Exchange { _ in
      Response(pieces: [.bytes(pattern(10)), .call { gate.wait() }, .bytes(pattern(10))])
    }
    let bytes = pattern(2_000_000)
    let promise = try exchange.upload(bytes, fromFile: fromFile)
    let log = ProgressLog(of: promise)
    let whole = Deferred<Void>()
    promise.onProgress(on: log.queue) { if $0 == 1, whole.promise.isPending { whole.fulfill() } }
    try await whole.promise.value
    #expect(promise.isPending)
    gate.open()
    let numbers = try await log.numbers()
    #expect(numbers == numbers.sorted())
    #expect(numbers.allSatisfy { $0 > 0 && $0 <= 1 })
    #expect(exchange.server.requests.map(\.body.count) == [bytes.count])
  }

  @Test("The response does not count towards the progress of an upload", .rule("5.1"))
  func answerIsNoProgress() async throws {
    let begun = Deferred<Void>()
    let gate = Gate()
    let exchange = try Exchange { request in
      if request.method == "GET" { return .text("next") }
      let half = Piece.bytes(pattern(10))
      return Response(pieces: [half, .call { begun.fulfill() }, .call { gate.wait() }, half])
    }
    // The body is empty, so there is no progress to report before the end.
    let promise = try exchange.upload([], fromFile: false)
    try await begun.promise.value
    // When the server answers these requests, the client has received the first half of the earlier response.
    for _ in 0..<3 { _ = try await exchange.session.promise(for: exchange.url()).value }
    #expect(promise.progress == 0)
    gate.open()
    _ = try await promise.value
    #expect(promise.progress == 1)
  }

  @Test("A file that does not exist, a folder or a named pipe rejects with CocoaError, and nothing is sent")
  func noRegularFile() async throws {
    let folder = try Folder.withFifo()
    let pipe = URL(filePath: folder.fifo)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: pipe)
    // A thread that opens the pipe continues after this, so a defect makes the test fail instead of hanging.
    let writer = shell("while :; do echo text >'\(pipe.path)'; done").run()
    defer { writer.cancel() }
    let exchange = try Exchange { _ in .text("never") }
    let post = HTTPRequest.post(exchange.server.address)
    for file in [folder.file("nothing"), folder.url, pipe, link] {
      let errors: [(any Error)?] = [
        try exchange.session.promise(for: exchange.request(method: "POST"), uploadingFile: file).error,
        exchange.session.promise(for: post.body(fileAt: file)).error,
        exchange.session.promise(for: post.multipart([.file("a", at: file)])).error,
      ]
      for error in errors {
        let error = try #require(error as? CocoaError)
        let reason = unsafe error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        if file.lastPathComponent == "nothing" {
          #expect(error.code == .fileReadNoSuchFile)
        } else {
          #expect(reason == "Only a regular file can be uploaded.")
        }
      }
    }
    #expect(exchange.asked.isEmpty)
  }

  @Test(
    "A file that shrinks while it is sent rejects the request, and bytes added to a file are not sent",
    arguments: [1_000, 1_000_001])
  func changed(_ count: Int) async throws {
    // The only connection is in use, so the file is not read before it is changed.
    let gate = Gate()
    let reached = Deferred<Void>()
    let exchange = try Exchange(connections: 1) { request in
      if request.path == "/first" {
        reached.fulfill()
        gate.wait()
      }
      return .text("\(request.body.count)")
    }
    let first = try exchange.session.promise(for: exchange.url("/first"))
    try await reached.promise.value
    let promise = try exchange.upload(pattern(1_000_000), fromFile: true)
    _ = try exchange.folder.write(pattern(count), to: "out")
    gate.open()
    _ = try await first.value
    let failure = await promise.awaitedError
    // On Apple's systems, the session may open the file before the change.
    #if canImport(FoundationNetworking)
      if count < 1_000_000 {
        #expect(failure is URLError)
      } else {
        #expect(try await promise.value.0 == Data("1000000".utf8))
        // Any excess byte would be read as the beginning of this request.
        #expect(try await exchange.session.promise(for: exchange.url("/next")).value.1.status == 200)
      }
    #endif
  }

  #if os(Linux)
    @Test("A file whose size is unknown to its system is sent whole")
    func withoutSize() async throws {
      let exchange = try Exchange { .text("\($0.body.count)") }
      let request = try exchange.request(method: "POST")
      let unknown = exchange.session.promise(for: request, uploadingFile: URL(fileURLWithPath: "/proc/self/limits"))
      #expect(try await String(decoding: unknown.value.0, as: UTF8.self) != "0")
    }
  #endif

  @Test("A body that a challenge or a redirection requires again is sent again as a whole")
  func sentAgain() async throws {
    let delegate = AskedDelegate(redirectsTo: "/end", answering: .credential)
    let exchange = try Exchange(delegate: delegate) { request in
      if request.path == "/" { return .redirect(to: "/end", status: 307) }
      return request["Authorization"] == nil ? .challenge([.text("no")]) : .text("done")
    }
    let bytes = pattern(300_000)
    #expect(try await exchange.upload(bytes, fromFile: true).value.1.status == 200)
    #expect(exchange.asked == ["POST /", "POST /end", "POST /end"])
    #expect(exchange.server.requests.allSatisfy { $0.body == bytes })
    #expect(exchange.server.requests.allSatisfy { $0["Content-Length"] == "300000" && $0["Transfer-Encoding"] == nil })
  }
}
