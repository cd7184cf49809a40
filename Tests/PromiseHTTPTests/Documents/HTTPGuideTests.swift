import PromiseHTTP
import Testing

/// Runs the code of Docs/Guides/HTTP.md, and that of Docs/Guides/Foundation.md about Progress, against a local server.
@Suite("Documents: Requests", .bounded) struct HTTPGuideTests {
  private struct Note: Codable, Sendable, Equatable {
    let title: String
  }

  @MainActor
  private final class Screen {
    nonisolated init() {}
    var lines: [String] = []
    var bar = 0.0
  }

  private let screen = Screen()
  private let session = URLSession(configuration: .patient)
  private let server: LoopbackServer
  private var address: String { server.address }

  init() throws {
    server = try LoopbackServer { request in
      switch (request.method, request.target) {
      case ("GET", "/users/Ada%20L./notes?since=1843"): .json(#"[{"title": "Analytical engine"}]"#)
      case ("POST", "/notes") where request["Authorization"] == "Bearer t-1":
        Response(status: 201, headers: [("Location", "/notes/\(request.bodyText.count)")])
      case ("GET", "/film"): .bytes(Array(repeating: 7, count: 100_000))
      case ("GET", "/weather"): .text("rain")
      case ("GET", "/busy"): Response(status: 503, headers: [("Retry-After", "0")])
      case ("GET", "/log"): .text("start\nerror: no paper\nerror: no ink\nend\n")
      case ("GET", "/events"): .text("id: 7\nevent: note\ndata: hello\n\ndata: bye\n\n")
      default: .notFound
      }
    }
  }

  @Test("Requests work as the guide shows")
  func requests() async throws {
    let token = "t-1"
    let notes = session.promise(
      for: .get("\(address)/users/{user}/notes", ["user": "Ada L."]).query(["since": 1843]), decoding: [Note].self)
    let titles = notes.map { $0.map(\.title) }
    let shown = titles.tap(on: .main) { screen.lines = $0 }
    _ = try await shown.value
    #expect(await screen.lines == ["Analytical engine"])

    let note = HTTPRequest.post("\(address)/notes")
      .header("Authorization", "Bearer \(token)")
      .json(Note(title: "Bernoulli numbers"))
      .idleTimeout(.seconds(20))
    let location = session.promise(for: note).map { response in response["Location"] }
    #expect(try await location.value == "/notes/29")
  }

  @Test("A client picks out an error of a request as the guide shows")
  func recovering() async throws {
    let name = session.promise(for: .get("\(address)/users/7/name"))
      .map { $0.text }
      .recover(from: HTTPError.self) { error in
        guard error.response?.status == 404 else { throw error }
        return "nobody"
      }
    #expect(try await name.value == "nobody")
  }

  @Test("Headers and streams work as the guide shows")
  func streams() async throws {
    let busy = session.promise(for: .get("\(address)/busy"))
    let patience = busy.rescue { [session, address] error in
      guard let pause = (error as? HTTPError)?.response?.retryAfter, pause < .seconds(60) else { throw error }
      return Promise.after(pause).then { session.promise(for: .get("\(address)/weather")) }
    }
    #expect(try await patience.value.text == "rain")

    let errors = session.stream(for: .get("\(address)/log"))
      .asyncMap { stream in
        var errors: [String] = []
        for try await line in stream.lines where line.hasPrefix("error") { errors.append(line) }
        return errors
      }
    #expect(try await errors.value == ["error: no paper", "error: no ink"])

    let printed = Log<String>()
    @Sendable func log(_ text: String) { printed.append(text) }
    let events = HTTPRequest.get("\(address)/events").header("Accept", "text/event-stream").idleTimeout(.seconds(90))
    let lastID = session.stream(for: events).asyncMap { stream in
      var lastID = ""
      for try await event in stream.events {
        log("\(event.type): \(event.data)")
        lastID = event.lastEventID
      }
      return lastID
    }
    #expect(try await lastID.value == "7")
    #expect(printed.entries == ["note: hello", "message: bye"])
  }

  @Test("A download that continues works as the guide shows")
  func continuing() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let session = session
    let address = address
    let film = Promise.retry(
      attempts: 9, backoff: .exponential(first: .seconds(1)), until: .finished, carrying: DownloadPart(beside: file)
    ) { attempt in
      let part = (attempt.lastError as? DownloadInterruptedError)?.part ?? attempt.carried
      return session.promise(for: .get("\(address)/film"), downloadingTo: file, continuing: part)
    }
    #expect(try await film.value.status == 200)
    #expect(try Data(contentsOf: file).count == 100_000)
  }

  @Test("The example in the comment of the download that continues works")
  func continuingOnce() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let part = DownloadPart(beside: file)
    let film = session.promise(for: .get("\(address)/film"), downloadingTo: file, continuing: part)
    #expect(try await film.value.status == 200)
    #expect(try Data(contentsOf: file).count == 100_000)
  }

  @Test("Downloads, retries and Progress work as the guide shows")
  func large() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let download = session.promise(for: .get("\(address)/film"), downloadingTo: file)
    download.onProgress(on: .main) { screen.bar = $0 }
    let total = Progress(totalUnitCount: 2)
    total.addChild(.following(download, on: .queue(.main)), withPendingUnitCount: 1)
    _ = try await download.value
    // This job runs on the main queue after the jobs of the two observers.
    _ = try await Promise.run(on: .queue(.main)) {}.value
    #expect(await screen.bar == 1)
    #expect(total.fractionCompleted == 0.5)

    let small = session.promise(for: .get("\(address)/weather").maximumBodySize(10_000))
    #expect(try await small.value.text == "rain")

    let session = session
    let address = address
    let patient = Promise.retry(attempts: 4, backoff: .exponential(first: .milliseconds(200))) {
      session.promise(for: .get("\(address)/weather")).timeout(.seconds(1_800))
    }
    #expect(try await patient.value.text == "rain")
    let settings = Promise.run { try Data(contentsOf: file) }
    #expect(try await settings.value.count == 100_000)
  }
}

/// Compiles and runs the code in the comments of PromiseHTTP.
@Suite("Documents: comments of PromiseHTTP", .bounded) struct CommentTests {
  private struct Note: Codable, Sendable {
    let text: String
  }

  @Test("A request that is made as the comments show has the expected URL and body")
  func requests() throws {
    let token = "t-1"
    let request = HTTPRequest.post("https://example.com/users/{user}/notes", ["user": "Ada L."])
      .header("Authorization", "Bearer \(token)")
      .query(["notify": true])
      .json(Note(text: "hello"))
    let sent = try request.urlRequest()
    #expect(sent.url?.absoluteString == "https://example.com/users/Ada%20L./notes?notify=true")
    #expect(sent.httpBody == Data(#"{"text":"hello"}"#.utf8))
  }

  /// This function is never called, because there is no such server.
  private func unreachable(_ session: URLSession, _ request: URLRequest) {
    let page = session.promise(for: request).map { data, response in (data.count, response.mimeType) }
    let text = session.promise(for: .get("https://example.com/notes/{id}", ["id": 7]))
      .map { response in response.text }
    let notes = session.promise(for: .get("https://example.com/notes"), decoding: [Note].self)
    withExtendedLifetime((page, text, notes)) {}
  }

  /// This function is never called, because there is no such server.
  private func continued(
    _ session: URLSession, _ request: HTTPRequest, _ show: @Sendable (String) async -> Void
  ) async throws -> String {
    var lastID = ""
    do {
      let stream = try await session.stream(for: request).value(cancelsSource: true)
      defer { lastID = stream.lastEventID ?? lastID }
      for try await event in stream.events { await show(event.data) }
    }
    return lastID
  }

  /// This function is never called, because there is no such server.
  private func unreachable(
    _ session: URLSession, _ response: HTTPResponse, _ file: URL, _ chunks: AsyncStream<Data>
  ) async throws {
    let request = HTTPRequest.post("https://example.com/photos")
      .multipart([.value("title", "Lake"), .file("photo", at: file, type: "image/jpeg")])
    let upload = HTTPRequest.put("https://example.com/log").body(chunks: chunks, type: "text/plain")
    let next = response.link("next")
    let stream = try await session.stream(for: .get("https://example.com/log")).value
    for try await line in stream.lines { print(line) }
    withExtendedLifetime((request, upload, next)) {}
  }
}
