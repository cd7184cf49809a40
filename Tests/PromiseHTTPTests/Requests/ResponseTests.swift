import PromiseHTTP
import Testing

@Suite("JSON responses", .bounded) struct JSONAnswerTests {
  private struct Note: Codable, Equatable, Sendable {
    var id: Int
    var text: String
  }

  private let note = #"{"id": 7, "text": "grüß"}"#

  private func answering(_ body: String, type: String? = "application/json", status: Int = 200) throws -> Exchange {
    try Exchange { _ in
      Response(status: status, headers: type.map { [("Content-Type", $0)] } ?? [], pieces: [.text(body)])
    }
  }

  /// Returns the errors of a request with `decoding` and of a request with `decodingIfPresent`, or `nil` for a
  /// fulfilled promise.
  private func errors(from exchange: Exchange) async -> [(any Error)?] {
    let request = HTTPRequest.get(exchange.server.address)
    return [
      await exchange.session.promise(for: request, decoding: Note.self).awaitedError,
      await exchange.session.promise(for: request, decodingIfPresent: Note.self).awaitedError,
    ]
  }

  @Test(
    "A body is decoded if its content type is a type of JSON",
    arguments: [
      "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=\"UTF-8\"",
      " application/json ;x=y", "application/problem+json; charset=utf-8", "application/vnd.api+json",
      "Application/HAL+JSON",
    ])
  func types(_ type: String) async throws {
    let exchange = try answering(note, type: type)
    let decoded = try await exchange.session.promise(for: .get(exchange.server.address), decoding: Note.self).value
    #expect(decoded == Note(id: 7, text: "grüß"))
  }

  @Test(
    "Any other or missing content type rejects with HTTPError.contentType, which has the response",
    arguments: [
      "text/html", "text/plain", "text/json", "application/jsonp", "application/x-json", "application/xml",
      "image/svg+json", "json", "", nil,
    ])
  func otherTypes(_ type: String?) async throws {
    let exchange = try answering(note, type: type)
    for error in await errors(from: exchange) {
      #expect(error?.caseName == "HTTPError.contentType")
      #expect((error as? HTTPError)?.response?.text == note)
    }
  }

  @Test(
    "An undecodable body rejects with HTTPError.notDecodable, with the decoder's error and the response",
    arguments: ["{", "hello", "[1, 2]", #"{"id": "seven", "text": ""}"#, #"{"id": 7}"#, "null", " "])
  func undecodable(_ body: String) async throws {
    let exchange = try answering(body)
    for error in await errors(from: exchange) {
      guard case .notDecodable(let response, let cause) = error as? HTTPError else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(cause is DecodingError)
      #expect(response.text == body)
    }
  }

  @Test(
    "An empty body rejects with HTTPError.noContent, or fulfils with nil if the value is optional",
    arguments: [200, 204, 205], ["application/json", "text/html", nil])
  func empty(_ status: Int, _ type: String?) async throws {
    let exchange = try answering("", type: type, status: status)
    let request = HTTPRequest.get(exchange.server.address)
    let error = await exchange.session.promise(for: request, decoding: Note.self).awaitedError
    #expect(error?.caseName == "HTTPError.noContent")
    #expect((error as? HTTPError)?.response?.status == status)
    #expect(try await exchange.session.promise(for: request, decodingIfPresent: Note.self).value == nil)
  }

  @Test("The given decoder is used")
  func decoder() async throws {
    let exchange = try answering(#"{"noteId": 0, "at": 86400}"#)
    struct Dated: Decodable, Sendable { let at: Date }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let request = HTTPRequest.get(exchange.server.address)
    let dated = try await exchange.session.promise(for: request, decoding: Dated.self, decoder: decoder).value
    #expect(dated.at == Date(timeIntervalSince1970: 86_400))
    let optional = try await exchange.session.promise(for: request, decodingIfPresent: Dated.self, decoder: decoder)
      .value
    #expect(optional?.at == dated.at)
  }

  @Test(
    "A decoding request asks for JSON unless it has an Accept header of its own",
    arguments: [(nil, "application/json"), ("Accept", "a/b"), ("accept", "a/b"), ("ACCEPT", "a/b")])
  func accept(_ name: String?, _ value: String) async throws {
    let exchange = try answering(note)
    var request = HTTPRequest.get(exchange.server.address)
    if let name { request = request.header(name, value) }
    _ = try await exchange.session.promise(for: request, decoding: Note.self).value
    _ = try await exchange.session.promise(for: request, decodingIfPresent: Note.self).value
    for seen in exchange.server.requests {
      #expect(seen.headers.filter { $0.name.lowercased() == "accept" }.map(\.value) == [value])
    }
    #expect(exchange.server.requests.count == 2)
  }

  @Test("Decoding takes no share of the progress", .rule("5.4"))
  func progress() async throws {
    let exchange = try answering(note)
    let promise = exchange.session.promise(for: .get(exchange.server.address), decoding: Note.self)
    #expect(try await ProgressLog(of: promise).whole().suffix(2) == [.progress(1), .fulfilled])
  }
}

@Suite("Statuses that a request accepts", .bounded) struct HTTPStatusTests {
  @Test("A status from 200 to 299 fulfils with the whole response", arguments: [200, 201, 202, 203, 206, 226, 299])
  func accepted(_ status: Int) async throws {
    let exchange = try Exchange { _ in
      Response(
        status: status, headers: [("Content-Type", "Text/HTML; charset=utf-8"), ("X-A", "b")], pieces: [.text("grüß")])
    }
    let response = try await exchange.session.promise(for: .get(exchange.server.address + "/a")).value
    #expect(response.status == status)
    #expect(response.text == "grüß")
    #expect(response.body == Data("grüß".utf8))
    #expect([response["x-a"], response["X-B"]] == ["b", nil])
    #expect(response.contentType == "text/html")
    #expect(try response.url == exchange.url("/a"))
  }

  @Test(
    "Any other status rejects with HTTPError.status, which has the whole response",
    arguments: [300, 304, 400, 401, 403, 404, 409, 418, 429, 500, 503, 599])
  func refused(_ status: Int) async throws {
    let exchange = try Exchange { _ in
      status == 304 ? .empty(status: 304) : .json(#"{"reason": "because"}"#, status: status)
    }
    let error = await exchange.session.promise(for: .get(exchange.server.address)).awaitedError
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    if status != 304 { #expect(try response.decoded(as: [String: String].self) == ["reason": "because"]) }
  }

  @Test("accepting replaces the range of statuses", arguments: [(404, true), (200, false), (405, false), (399, false)])
  func accepting(_ status: Int, _ isAccepted: Bool) async throws {
    let exchange = try Exchange { _ in .text("body", status: status) }
    let request = HTTPRequest.get(exchange.server.address).accepting(100...599).accepting(400...404)
    let promise = exchange.session.promise(for: request)
    #expect((await promise.awaitedError as? HTTPError)?.response?.status == (isAccepted ? nil : status))
    if isAccepted { #expect(try await promise.value.status == status) }
  }
}
