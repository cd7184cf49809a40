#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import PromiseFoundation
  import TestSupport
  import Testing

  @Suite("Requests on a kept connection that the server closes", .bounded)
  struct ResentBodyTests {
    /// A server that answers the first request, and closes the connection after the second request has arrived.
    private func closing() throws -> Exchange {
      let count = Locked(0)
      return try Exchange { request in
        count.increment() == 2 ? Response(pieces: [], framing: .raw) : .text("\(request.body.count)")
      }
    }

    @Test(
      "A request that must not be sent twice is rejected with networkConnectionLost, and reaches the server once",
      arguments: ["POST", "PATCH"], [Transfer.uploadOfData, .uploadOfFile])
    func refused(_ method: String, _ transfer: Transfer) async throws {
      let exchange = try closing()
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
      let promise =
        transfer == .uploadOfData
        ? exchange.session.promise(for: try exchange.request(method: method), uploading: Data(pattern(200_000)))
        : exchange.session.promise(
          for: try exchange.request(method: method),
          uploadingFile: try exchange.folder.write(pattern(200_000), to: "out"))
      let failure = await promise.failure
      #expect((failure as? URLError)?.code == .networkConnectionLost)
      #expect(!promise.isCancelled)
      #expect(exchange.server.requests.count == 2)
    }

    @Test("A request that may be sent twice is sent again", arguments: ["PUT", "DELETE"])
    func sentAgain(_ method: String) async throws {
      let exchange = try closing()
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
      var request = try exchange.request(method: method)
      request.httpBody = Data(pattern(200_000))
      #expect(try await exchange.session.promise(for: request).value.0 == Data("200000".utf8))
      let requests = exchange.server.requests
      #expect(requests.map(\.connection) == [0, 0, 1])
      #expect(requests.dropFirst().allSatisfy { $0.body == pattern(200_000) })
    }

    @Test("A session still works after a request that was not sent again")
    func goesOn() async throws {
      let exchange = try closing()
      #expect(try await exchange.session.promise(for: exchange.url()).value.1.status == 200)
      let request = try exchange.request(method: "POST")
      #expect(await exchange.session.promise(for: request, uploading: Data([1, 2, 3])).failure is URLError)
      #expect(try await exchange.session.promise(for: request, uploading: Data([1, 2])).value.0 == Data("2".utf8))
    }
  }
#endif
