#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import TestSupport
  import Testing

  @testable import PromiseFoundation

  @Suite("Sessions that are released", .bounded)
  struct ReleasedSessionTests {
    @Test("The connections of a session are closed when the session is released")
    func connections() async throws {
      let closed = Deferred<Void>()
      let server = try LoopbackServer { _ in
        // The response lets the client keep the connection, so the client is the side that closes it.
        Response(
          pieces: [
            .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .untilGone, .call { closed.fulfill() },
          ], framing: .raw)
      }
      let (promise, session) = try send("/", to: server)
      #expect(try await promise.value.0 == Data("done".utf8))
      try await closed.promise.value
      #expect(await eventually { session.isReleased })
    }

    // This test runs in a process of its own, because it counts the descriptors of the process.
    @Test("Sessions of one request each leave no open descriptor")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("done") }
        // Descriptors that the first request opens permanently do not count.
        _ = try await send("/", to: server).promise.value
        let before = try openDescriptors()
        for _ in 0..<5 {
          let promises = try (0..<20).map { _ in try send("/", to: server).promise }
          for promise in promises { _ = try await promise.value }
        }
        #expect(await eventually { (try? openDescriptors()) ?? .max <= before })
      }
    }

    @Test("A proxy that ends with its request closes the connection of the request")
    func disposableProxy() async throws {
      let closed = Deferred<Void>()
      let exchange = try Exchange { _ in
        Response(
          pieces: [
            .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .untilGone, .call { closed.fulfill() },
          ], framing: .raw)
      }
      let answer = Deferred<Data>()
      let transfer = RequestTransfer(
        into: ResponseBody(), atMost: 100, reportingSent: false, to: { _, _ in },
        completion: { result in
          answer.resolve(
            result.flatMap { contents, _ in
              guard case .data(let data) = contents else { return .failure(URLError(.unknown)) }
              return .success(data)
            })
        })
      let proxy = SessionProxy(for: exchange.session, endingWithRequest: true)
      _ = try proxy.send(exchange.request(), uploading: nil, for: exchange.session, as: transfer)
      #expect(try await answer.promise.value == Data("done".utf8))
      try await closed.promise.value
    }

    @Test("A session keeps its connection while the client retains it")
    func keptConnection() async throws {
      let exchange = try Exchange { .text("\($0.connection)") }
      for _ in 0..<3 {
        #expect(try await exchange.session.promise(for: exchange.url()).value.0 == Data("0".utf8))
      }
    }
  }

  private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// A weak reference to a session that the test does not retain.
  private struct Released {
    weak var session: URLSession?
    var isReleased: Bool { session == nil }
  }

  /// Sends a request in a session of its own.
  private func send(
    _ path: String, to server: LoopbackServer
  ) throws -> (promise: Promise<(Data, URLResponse)>, session: Released) {
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    let url = try #require(URL(string: server.address + path))
    return (session.promise(for: url), Released(session: session))
  }
#endif
