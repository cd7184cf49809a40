import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Requests for data", .bounded)
struct DataTests {
  @Test("The body, the status and the headers arrive as the server sent them")
  func wholeAnswer() async throws {
    let exchange = try Exchange { _ in
      Response(
        status: 201, headers: [("Content-Type", "text/plain; charset=utf-8"), ("X-Mark", "a; b=\"c, d\"")],
        pieces: [.text("grüß "), .text("Gott")])
    }
    let (data, response) = try await exchange.session.promise(for: exchange.request("/a/b?c=d")).value
    #expect(String(decoding: data, as: UTF8.self) == "grüß Gott")
    #expect(response.status == 201)
    #expect(response["content-type"] == "text/plain; charset=utf-8")
    #expect(response["X-Mark"] == "a; b=\"c, d\"")
    #expect(response.expectedContentLength == 11)
    #expect(try response.url == exchange.url("/a/b?c=d"))
    #expect(exchange.asked == ["GET /a/b?c=d"])
  }

  @Test("A URL alone is requested with GET")
  func urlAlone() async throws {
    let exchange = try Exchange { .text($0.target) }
    let (data, _) = try await exchange.session.promise(for: exchange.url("/x?y")).value
    #expect(String(decoding: data, as: UTF8.self) == "/x?y")
    #expect(exchange.asked == ["GET /x?y"])
  }

  @Test("The method, the headers and the body of a request reach the server")
  func request() async throws {
    let exchange = try Exchange { _ in .text("ok") }
    var request = try exchange.request(method: "PUT")
    request.setValue("b, c", forHTTPHeaderField: "X-A")
    request.httpBody = Data(pattern(70_000))
    _ = try await exchange.session.promise(for: request).value
    let seen = try #require(exchange.server.requests.first)
    #expect(seen.method == "PUT")
    #expect(seen["x-a"] == "b, c")
    #expect(seen.body == pattern(70_000))
  }

  @Test("A body arrives complete, however its end is announced", arguments: Framing.allCases, [0, 1, 200_000])
  func framings(_ framing: Framing, _ count: Int) async throws {
    let exchange = try Exchange { _ in
      let bytes = pattern(count)
      let (first, second) = (Array(bytes[..<(count / 3)]), Array(bytes[(count / 3)...]))
      return Response(pieces: [.bytes(first), .bytes(second)], framing: framing.ofServer)
    }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(Array(data) == pattern(count))
    #expect(response.status == 200)
  }

  enum Framing: CaseIterable, Sendable {
    case length
    case chunked
    case untilClose

    var ofServer: Response.Framing {
      switch self {
      case .length: .automatic
      case .chunked: .chunked
      case .untilClose: .untilClose
      }
    }
  }

  @Test("Every status fulfils the promise", arguments: [200, 204, 205, 304, 400, 404, 418, 500, 503])
  func statuses(_ status: Int) async throws {
    let isBodiless = [204, 205, 304].contains(status)
    let exchange = try Exchange { _ in isBodiless ? .empty(status: status) : .text("why", status: status) }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(response.status == status)
    #expect(String(decoding: data, as: UTF8.self) == (isBodiless ? "" : "why"))
  }

  @Test("The response to HEAD has the length of the body in its head, and no body")
  func head() async throws {
    let exchange = try Exchange { _ in .text("twelve bytes") }
    let promise = try exchange.session.promise(for: exchange.request(method: "HEAD"))
    let log = ProgressLog(of: promise)
    let (data, response) = try await promise.value
    #expect(data.isEmpty)
    #expect(response["Content-Length"] == "12")
    #expect(try await log.whole() == [.progress(1), .fulfilled])
  }

  @Test("Several requests of one session each get their own response")
  func severalAtOnce() async throws {
    let exchange = try Exchange { .text($0.target) }
    let promises = try (0..<10).map { try exchange.session.promise(for: exchange.request("/\($0)")) }
    for (number, promise) in promises.enumerated() {
      #expect(try await String(decoding: promise.value.0, as: UTF8.self) == "/\(number)")
    }
  }

  @Test("An interim response (103) is ignored")
  func interim() async throws {
    let text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let exchange = try Exchange { _ in Response(pieces: [.text(text)], framing: .raw) }
    let (data, response) = try await exchange.session.promise(for: exchange.request()).value
    #expect(response.status == 200)
    #expect(String(decoding: data, as: UTF8.self) == "ok")
  }
}
