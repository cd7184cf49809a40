import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Responses whose bodies are streamed", .bounded)
struct StreamTests {
  @Test(
    "A chunk reaches the consumer before the server has sent the next",
    arguments: [Response.Framing.chunked, .untilClose, .length(10)])
  func chunks(_ framing: Response.Framing) async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(
        status: 206, headers: [("X-A", "b")],
        pieces: [.text("first"), .call { gate.wait("consumer") }, .text("later")], framing: framing)
    }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/a")).value
    #expect(stream.response.status == 206)
    #expect(stream.response["x-a"] == "b")
    #expect(stream.response.body.isEmpty)
    #expect(try stream.response.url == exchange.url("/a"))
    var chunks = stream.chunks.makeAsyncIterator()
    #expect(try await chunks.next() == Data("first".utf8))
    #expect(stream.end.isPending)
    gate.open()
    #expect(try await chunks.next() == Data("later".utf8))
    #expect(stream.end.isPending)
    #expect(try await chunks.next() == nil)
    #expect(stream.end.isFulfilled)
    #expect(try await chunks.next() == nil)
  }

  @Test("A large body arrives whole and in order", arguments: [1, 70_000, 3_000_000])
  func whole(_ count: Int) async throws {
    let exchange = try Exchange { _ in .bytes(pattern(count)) }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var body = Data()
    for try await chunk in stream.chunks {
      #expect(!chunk.isEmpty)
      body += chunk
    }
    #expect(body == Data(pattern(count)))
    #expect(stream.end.isFulfilled)
    #expect(stream.end.progress == 1)
  }

  @Test("A body without bytes ends at once", arguments: ["GET", "HEAD"])
  func empty(_ method: String) async throws {
    let exchange = try Exchange { _ in .empty(status: method == "GET" ? 204 : 200) }
    let request = HTTPRequest(HTTPMethod(rawValue: method), exchange.server.address)
    let stream = try await exchange.session.stream(for: request).value
    for try await chunk in stream.chunks { Issue.record("\(chunk)") }
    try await stream.end.value
  }

  @Test("Each way to end a line ends a line of the stream")
  func lines() async throws {
    let exchange = try Exchange { _ in .text("a\r\nb\nc\rd\r\n") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    #expect(try await Array(stream.lines) == ["a", "b", "c", "d"])
  }

  @Test("A body without bytes ends at once even if the session may answer its status")
  func emptyChallenge() async throws {
    let exchange = try Exchange { _ in .empty(status: 401) }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address).accepting(401...401)).value
    #expect(try await Array(stream.chunks) == [])
    #expect(stream.end.isFulfilled)
  }

  @Test("A stream does not print the secrets of its URL")
  func description() async throws {
    let exchange = try Exchange { _ in .text("text") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address + "/a?token=secret")).value
    #expect("\(stream)".contains("/a") && !"\(stream)".contains("secret"))
  }

  @Test("The request has its body, and a redirection is followed")
  func body() async throws {
    let exchange = try Exchange { request in
      request.path == "/old" ? .redirect(to: "/new", status: 307) : .text("\(request.method) \(request.bodyText)")
    }
    let request = HTTPRequest.post(exchange.server.address + "/old").body(Data("sent".utf8))
    let stream = try await exchange.session.stream(for: request).value
    #expect(try stream.response.url == exchange.url("/new"))
    #expect(try await Array(stream.lines) == ["POST sent"])
  }

  @Test(
    "A status that the request does not accept rejects with the whole response", arguments: [400, 401, 404, 407, 503])
  func refused(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("because", status: status) }
    let error = await exchange.session.stream(for: .get(exchange.server.address)).failure
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    #expect(response.text == "because")
  }

  @Test(
    "A status that the request accepts fulfils, even if the session may answer it", arguments: [401, 404, 407, 503])
  func accepted(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("because", status: status) }
    let request = HTTPRequest.get(exchange.server.address).accepting(400...599)
    let stream = try await exchange.session.stream(for: request).value
    #expect(stream.response.status == status)
    #expect(try await Array(stream.lines) == ["because"])
    #expect(stream.end.isFulfilled)
  }

  @Test("A request that cannot be sent rejects")
  func invalid() async throws {
    let error = await URLSession(configuration: .ephemeral).stream(for: .get("ftp://host")).failure
    #expect(error is HTTPRequestError)
  }

  @Test("A body that fails in the middle throws after what had arrived, again and again, and is handled")
  func failing() async throws {
    let unhandled = Log<UnhandledRejection>()
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.text("abc"), .call { gate.wait("consumer") }, .cut], framing: .length(100))
    }
    do {
      let stream = try await Diagnostics.scoped(unhandledRejection: unhandled.append) {
        exchange.session.stream(for: .get(exchange.server.address))
      }.value
      var chunks = stream.chunks.makeAsyncIterator()
      #expect(try await chunks.next() == Data("abc".utf8))
      gate.open()
      for _ in 0..<2 {
        await #expect(throws: URLError.self) { try await chunks.next() }
      }
      #expect(stream.end.isRejected)
      #expect(!stream.end.isCancelled)
    }
    #expect(unhandled.entries.isEmpty)
  }

  @Test("More bytes than the request allows throw bodyTooLarge after the allowed ones, and the request is cancelled")
  func tooLarge() async throws {
    let unfinished = UnfinishedResponse([.text("abc"), .text("def")], framing: .chunked)
    let exchange = try Exchange { _ in unfinished.response }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address).maximumBodySize(5)).value
    var text = ""
    let error = await #expect(throws: TransferError.self) {
      for try await chunk in stream.chunks { text += String(decoding: chunk, as: UTF8.self) }
    }
    guard case .bodyTooLarge(limit: 5, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(["", "abc"].contains(text))
    try await unfinished.left.value
  }
}
