import AsyncHTTPClient
import Dispatch
import Foundation
import NIOCore
import NIOPosix
import PromiseCombinators
import PromiseHTTP
import PromiseHTTPClient
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: A program that runs over either client

protocol PageLoading: Sendable {
  func page(at address: String) -> Promise<String>
}

extension URLSession: PageLoading {
  func page(at address: String) -> Promise<String> { promise(for: .get("\(address)")).map(\.text) }
}

extension HTTPClient: PageLoading {
  func page(at address: String) -> Promise<String> {
    Promise(catching: { try Request(url: address) })
      .then { self.promise(for: $0) }
      .validate { $0.status.code < 300 }
      .map { $0.body.map { String(buffer: $0) } ?? "" }
  }
}

/// Loads all pages, four at a time.
func lengths(of addresses: [String], with loader: some PageLoading) -> Promise<[Int]> {
  .traverse(addresses, concurrency: 4) { address in loader.page(at: address).map(\.count) }
}

@Suite("AsyncHTTPClient", .bounded) struct HTTPClientTests {
  let client = HTTPClient.shared

  @Test("One program runs over URLSession and over AsyncHTTPClient")
  func eitherClient() async throws {
    let server = try await HTTPServer.start { path in .text(String(repeating: "x", count: Int(path.dropFirst()) ?? 0)) }
    let addresses = (1...20).map { "\(server.address)/\($0)" }
    let session = URLSession(configuration: .ephemeral)
    #expect(try await lengths(of: addresses, with: session).value == Array(1...20))
    #expect(try await lengths(of: addresses, with: client).value == Array(1...20))
    session.invalidateAndCancel()
    try await server.stop()
  }

  @Test("Progress is the share of the body that has arrived")
  func progress() async throws {
    let rest = Deferred<String>()
    let server = try await HTTPServer.start { _ in
      Answer(length: 10, parts: [.fulfilled("12345"), rest.promise])
    }
    let request = client.promise(for: try HTTPClient.Request(url: server.address))
    let half = Deferred<Double>()
    let reported = Log<Double>()
    request.onProgress { share in
      reported.append(share)
      if share >= 0.5, half.promise.isPending { half.fulfill(share) }
    }
    #expect(try await half.promise.value == 0.5)
    #expect(request.isPending)
    rest.fulfill("67890")
    let response = try await request.value
    #expect(response.body.map { String(buffer: $0) } == "1234567890")
    #expect(response.history.count == 1)
    #expect(request.progress == 1)
    #expect(reported.entries == reported.entries.sorted())
    try await server.stop()
  }

  @Test("A cancelled request closes its connection, behind any number of links")
  func cancellation() async throws {
    let never = Deferred<String>()
    let asked = Deferred<Void>()
    let server = try await HTTPServer.start { _ in
      asked.fulfill()
      return Answer(length: 10, parts: [never.promise])
    }
    let status = client.promise(for: try HTTPClient.Request(url: server.address)).map(\.status).map(\.code)
    try await asked.promise.value
    status.cancel(upstream: true)
    try await server.closed.value
    #expect(status.isCancelled)
    never.fulfill("")
    try await server.stop()
  }

  @Test("The release of a resource waits until the client has ended a cancelled request")
  func releaseWaits() async throws {
    let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let client = HTTPClient(eventLoopGroupProvider: .shared(own))
    let never = Deferred<String>()
    let asked = Deferred<Void>()
    let server = try await HTTPServer.start { _ in
      asked.fulfill()
      return Answer(length: 10, parts: [never.promise])
    }
    let request = try HTTPClient.Request(url: server.address)
    let resource = UsedResource()
    let use = resource.use { client.promise(for: request).map(\.status) }
    try await asked.promise.value
    // The client cannot end the request before its loop runs again.
    let mayEnd = DispatchSemaphore(value: 0)
    own.next().execute { mayEnd.wait() }
    #expect(resource.cancel(use).isEmpty)
    mayEnd.signal()
    #expect(await resource.finish(use))
    #expect(resource.log.entries == ["released"])
    try await server.closed.value
    never.fulfill("")
    try await client.shutdown()
    try await server.stop()
    try await own.shutdownGracefully()
  }

  @Test("A body that is too large rejects the promise")
  func largeBody() async throws {
    let server = try await HTTPServer.start { _ in .text(String(repeating: "x", count: 100)) }
    let request = client.promise(for: try HTTPClient.Request(url: server.address), maximumBodySize: 99)
    #expect(await rejection(of: request) is ResponseAccumulator.ResponseTooBigError)
    try await server.stop()
  }

  @Test("An attempt whose status is an error is repeated")
  func retries() async throws {
    let count = Log<Void>()
    let server = try await HTTPServer.start { _ in
      count.append(())
      var answer = Answer.text("\(count.entries.count)")
      if count.entries.count < 3 { answer.status = .serviceUnavailable }
      return answer
    }
    let page = Promise.retry(attempts: 5, backoff: .constant(.zero)) { [client] in client.page(at: server.address) }
    #expect(try await page.value == "3")
    try await server.stop()
  }
}
