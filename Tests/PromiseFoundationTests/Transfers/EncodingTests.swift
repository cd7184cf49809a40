#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import PromiseFoundation
  import TestSupport
  import Testing

  @Suite("Encodings that requests accept", .bounded)
  struct EncodingTests {
    @Test("A download asks for an uncompressed body")
    func download() async throws {
      let exchange = try Exchange { _ in .text("done") }
      _ = try await exchange.download().value
      _ = try await exchange.download(.get(exchange.server.address)).value
      #expect(exchange.server.requests.map { $0["Accept-Encoding"] } == ["identity", "identity"])
    }

    @Test("A stream asks for an uncompressed body")
    func stream() async throws {
      let exchange = try Exchange { _ in .text("done") }
      let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
      for try await _ in stream.chunks {}
      #expect(exchange.server.requests.map { $0["Accept-Encoding"] } == ["identity"])
    }

    @Test("A request in memory may be answered with a compressed body")
    func memory() async throws {
      let exchange = try Exchange { _ in .text("done") }
      _ = try await exchange.session.promise(for: exchange.request()).value
      #expect(exchange.server.requests.first?["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test("An encoding that the caller or the session asks for is not replaced", arguments: [true, false])
    func ownHeader(_ isOfSession: Bool) async throws {
      let (folder, server) = (try Folder(), try LoopbackServer { _ in .text("done") })
      let configuration = URLSessionConfiguration.ephemeral
      if isOfSession { configuration.httpAdditionalHeaders = ["accept-encoding": "gzip"] }
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      var request = HTTPRequest.get(server.address)
      if !isOfSession { request = request.header("accept-encoding", "gzip") }
      _ = try await session.promise(for: request, downloadingTo: folder.file("in")).value
      #expect(server.requests.map { $0["Accept-Encoding"] } == ["gzip"])
    }
  }
#endif
