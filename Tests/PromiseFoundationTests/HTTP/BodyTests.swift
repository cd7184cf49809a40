import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Bodies of requests", .bounded)
struct HTTPBodyTests {
  private struct Note: Codable, Equatable, Sendable {
    var id: Int
    var at: Date
  }

  @Test("JSON is encoded by the given encoder and sent with the content type of JSON")
  func json() async throws {
    let exchange = try Exchange { _ in .empty() }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    let note = Note(id: 1, at: Date(timeIntervalSince1970: 60))
    _ = try await exchange.session.promise(for: .post(exchange.server.address).json(note, encoder: encoder)).value
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.bodyText == #"{"at":60,"id":1}"#)
    #expect(seen["Content-Type"] == "application/json")
    #expect(seen.method == "POST")
  }

  @Test("A value that cannot be encoded rejects with bodyNotEncodable and its error, and nothing is sent")
  func notEncodable() async throws {
    struct Bad: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw TestError(3) }
    }
    let exchange = try Exchange { _ in .empty() }
    let promise = exchange.session.promise(for: .post(exchange.server.address).json(Bad()))
    #expect(promise.isRejected)
    let error = await promise.failure
    guard case .bodyNotEncodable(let cause) = error as? HTTPRequestError else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause as? TestError == TestError(3))
    #expect(exchange.server.requests.isEmpty)
  }

  @Test("A number that JSON cannot represent is refused with bodyNotEncodable")
  func notANumber() async throws {
    let error = #expect(throws: HTTPRequestError.self) {
      try HTTPRequest.post("http://host").json([Double.nan]).urlRequest()
    }
    guard case .bodyNotEncodable(let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause is EncodingError)
  }

  @Test("Bytes are sent unchanged, with their content type", arguments: [0, 1, 100_000])
  func data(_ count: Int) async throws {
    let exchange = try Exchange { _ in .empty() }
    let request = HTTPRequest.put(exchange.server.address)
    _ = try await exchange.session.promise(for: request.body(Data(pattern(count)))).value
    _ = try await exchange.session.promise(for: request.body(Data(pattern(count)), type: "image/png")).value
    #expect(exchange.server.requests.map(\.body) == [pattern(count), pattern(count)])
    #expect(exchange.server.requests.map { $0["Content-Type"] } == ["application/octet-stream", "image/png"])
  }

  @Test("A file is sent with its content type, and the progress rises to 1", arguments: [0, 10, 300_000])
  func file(_ count: Int) async throws {
    let exchange = try Exchange { _ in .text("some text that comes back") }
    let file = try exchange.folder.write(pattern(count), to: "out")
    let promise = exchange.session.promise(for: .put(exchange.server.address).body(fileAt: file, type: "a/b"))
    let numbers = try await ProgressLog(of: promise).numbers()
    #expect(numbers == numbers.sorted())
    #expect(numbers.last == 1)
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.body == pattern(count))
    #expect(seen["Content-Type"] == "a/b")
    #expect(seen.method == "PUT")
  }

  @Test("A file that cannot be read rejects with CocoaError, and nothing is sent", arguments: ["nothing", ""])
  func unreadable(_ name: String) async throws {
    let exchange = try Exchange { _ in .empty() }
    let file = name.isEmpty ? exchange.folder.url : exchange.folder.file(name)
    let promise = exchange.session.promise(for: .put(exchange.server.address).body(fileAt: file))
    #expect(promise.isRejected)
    #expect(await promise.failure is CocoaError)
    #expect(exchange.server.requests.isEmpty)
  }

  @Test("Only the last body of a request is sent")
  func last() async throws {
    let exchange = try Exchange { _ in .empty() }
    let request = HTTPRequest.post(exchange.server.address).json(1).form(["a": 1]).body(Data("x".utf8), type: "t/x")
    _ = try await exchange.session.promise(for: request).value
    #expect(exchange.server.requests.map(\.bodyText) == ["x"])
    #expect(exchange.server.requests.first?["Content-Type"] == "t/x")
  }

  @Test("A Content-Type header replaces the content type of the body", arguments: [true, false])
  func contentType(_ isHeaderFirst: Bool) async throws {
    let exchange = try Exchange { _ in .empty() }
    let request = HTTPRequest.post(exchange.server.address)
    let typed =
      isHeaderFirst
      ? request.header("content-type", "application/ld+json").json(1)
      : request.json(1).header("content-type", "application/ld+json")
    _ = try await exchange.session.promise(for: typed).value
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["application/ld+json"])
  }

  @Test("A request is a value that derived requests do not change")
  func value() async throws {
    let exchange = try Exchange { _ in .empty() }
    let plain = HTTPRequest.post(exchange.server.address)
    _ = plain.json(1).header("X-A", "b").query(["a": 1]).accepting(400...499).idleTimeout(.seconds(1))
    _ = try await exchange.session.promise(for: plain).value
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.body.isEmpty)
    #expect(seen["X-A"] == nil)
    #expect(seen.target == "/")
  }
}
