import PromiseHTTP
import Testing

/// A fake server for the host `fake`. It answers with the body of the request, and with the headers of the request.
private class Echo: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "fake" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url,
      let head = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: request.allHTTPHeaderFields)
    else { return }
    client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: request.httpBody ?? request.httpBodyStream?.content ?? Data())
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

#if canImport(FoundationNetworking)
  /// A fake that records the body of each request that it is asked about.
  private final class AskedEcho: Echo {
    static let bodies = Log<Data?>()

    override class func canInit(with request: URLRequest) -> Bool {
      bodies.append(request.httpBody)
      return super.canInit(with: request)
    }
  }
#endif

extension InputStream {
  /// The bytes of the stream up to its end.
  fileprivate var content: Data {
    open()
    defer { close() }
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: 1_000)
    while hasBytesAvailable {
      // Safe because the buffer has room for as many bytes.
      let count = unsafe read(&buffer, maxLength: buffer.count)
      guard count > 0 else { break }
      content += buffer.prefix(count)
    }
    return content
  }
}

@Suite("Protocol classes of a session", .bounded) struct ProtocolClassTests {
  /// A session with protocol classes. The default is a fake.
  private func session(_ classes: [AnyClass] = [Echo.self]) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = classes
    return URLSession(configuration: configuration)
  }

  private static let ways = ["body", "uploaded data", "uploaded file"]

  /// Sends bytes by a `URLRequest`.
  private func send(
    _ bytes: [UInt8], by way: String, in session: URLSession, folder: Folder
  ) throws -> Promise<(Data, URLResponse)> {
    var request = URLRequest(url: try #require(URL(string: "http://fake/")))
    request.httpMethod = "POST"
    switch way {
    case "uploaded data": return session.promise(for: request, uploading: Data(bytes))
    case "uploaded file": return session.promise(for: request, uploadingFile: try folder.write(bytes, to: "out"))
    default:
      request.httpBody = Data(bytes)
      return session.promise(for: request)
    }
  }

  @Test("A fake receives the body of a request, and only the headers of the request", arguments: ways, [0, 4, 300_000])
  func bodies(_ way: String, _ count: Int) async throws {
    let session = session()
    let folder = try Folder()
    defer { session.finishTasksAndInvalidate() }
    let (body, response) = try await send(pattern(count), by: way, in: session, folder: folder).value
    let isWhole = body == Data(pattern(count))
    #expect(isWhole, "\(body.count) bytes")
    for name in ["Expect", "Transfer-Encoding"] { #expect(response[name] == nil) }
    #if canImport(FoundationNetworking)
      #expect(response["Content-Length"] == nil)
    #endif
  }

  @Test("A fake receives each body of an HTTPRequest")
  func requests() async throws {
    let session = session()
    let folder = try Folder()
    defer { session.finishTasksAndInvalidate() }
    let file = try folder.write(Array("file".utf8), to: "out")
    let (chunks, chunk) = AsyncStream<Data>.makeStream()
    chunk.yield(Data("chunk".utf8))
    chunk.finish()
    let post = HTTPRequest.post("http://fake/").header("X-A", "a")
    let bodies = [
      (post.json([1]), "[1]"), (post.form(["a": 1]), "a=1"), (post.body(Data([65])), "A"),
      (post.body(fileAt: file), "file"), (post.body(chunks: chunks), "chunk"), (post, ""),
    ]
    for (request, body) in bodies {
      let response = try await session.promise(for: request).value
      #expect(response.text == body)
      #expect(response["X-A"] == "a")
    }
    let form = try await session.promise(for: post.multipart([.value("a", 1), .file("b", at: file)])).value.text
    #expect(form.contains("\r\n\r\n1\r\n"))
    #expect(form.contains("\r\n\r\nfile\r\n"))
    let target = folder.file("in")
    _ = try await session.promise(for: post.json([2]), downloadingTo: target).value
    #expect(try folder.bytes(of: "in") == Array("[2]".utf8))
    let stream = try await session.stream(for: post.json([3])).value
    #expect(try await Array(stream.lines) == ["[3]"])
  }

  #if canImport(FoundationNetworking)
    @Test("A fake sees the body of a request whenever it is asked whether it accepts the request")
    func asked() async throws {
      let session = session([AskedEcho.self])
      defer { session.finishTasksAndInvalidate() }
      let body = Data("body".utf8)
      #expect(try await session.promise(for: .post("http://fake/").body(body)).value.body == body)
      #expect(AskedEcho.bodies.entries.contains(body))
      #expect(AskedEcho.bodies.entries.allSatisfy { $0 == body })
    }

    @Test("A fake receives the body of a request that is redirected to it", arguments: ["body", "file"])
    func redirected(_ body: String) async throws {
      let session = session()
      let folder = try Folder()
      defer { session.finishTasksAndInvalidate() }
      let server = try LoopbackServer { _ in .redirect(to: "http://fake/", status: 307) }
      let post = HTTPRequest.post(server.address)
      let bytes = Array(body.utf8)
      let request = body == "file" ? post.body(fileAt: try folder.write(bytes, to: "out")) : post.body(Data(bytes))
      #expect(try await session.promise(for: request).value.text == body)
      #expect(server.requests.map(\.bodyText) == [body])
    }

    @Test(
      "A request that a fake leaves to the network is not sent twice", arguments: [true, false])
    func network(_ addsOthers: Bool) async throws {
      let others = addsOthers ? URLSessionConfiguration.ephemeral.protocolClasses ?? [] : []
      let session = session([Echo.self] + others)
      defer { session.finishTasksAndInvalidate() }
      let count = Locked(0)
      let server = try LoopbackServer { request in
        count.increment() == 2 ? Response(pieces: [], framing: .raw) : .text("\(request.body.count)")
      }
      let post = HTTPRequest.post(server.address).body(Data(pattern(200_000)))
      #expect(try await session.promise(for: post).value.text == "200000")
      #expect((await session.promise(for: post).awaitedError as? URLError)?.code == .networkConnectionLost)
      #expect(server.requests.count == 2)
      #expect(server.requests.allSatisfy { $0["Content-Length"] == "200000" })
    }
  #endif
}
