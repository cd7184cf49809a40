#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import PromiseFoundation
  import TestSupport
  import Testing

  @Suite("Sessions that are released", .bounded)
  struct ReleasedSessionTests {
    // In a process of its own, because the requests of other tests would close the connection, too.
    @Test(
      "The connections of a session that was released are closed when a request of another session ends", .feature("L9")
    )
    func connections() async {
      await #expect(processExitsWith: .success) {
        let (reached, gate, closed) = (Deferred<Void>(), Gate(), Locked(false))
        let server = try LoopbackServer { request in
          if request.path == "/other" {
            reached.fulfill()
            gate.wait()
            return .text("other")
          }
          // The answer lets the client keep the connection, so that it is the client that closes it.
          return Response(
            pieces: [
              .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .untilGone,
              .call { closed.withLock { $0 = true } },
            ], framing: .raw)
        }
        let other = try send("/other", to: server).promise
        try await reached.promise.value
        let (promise, session) = try send("/", to: server)
        #expect(try await promise.value.0 == Data("done".utf8))
        #expect(await eventually { session.isReleased })
        #expect(!closed.withLock { $0 })
        gate.open()
        #expect(try await other.value.0 == Data("other".utf8))
        #expect(await eventually { closed.withLock { $0 } })
      }
    }
  }

  /// A session that the test does not keep.
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
