import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

/// Compiles and runs the code in the comments of PromiseFoundation.
@Suite("Documents: comments of PromiseFoundation", .bounded)
struct CommentTests {
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
  private func unreachable(_ session: URLSession, _ request: URLRequest, _ download: Promise<Int>, _ total: Progress) {
    let page = session.promise(for: request).map { data, response in (data.count, response.mimeType) }
    let text = session.promise(for: .get("https://example.com/notes/{id}", ["id": 7]))
      .map { response in response.text }
    let notes = session.promise(for: .get("https://example.com/notes"), decoding: [Note].self)
    total.addChild(.following(download, on: .queue(.main)), withPendingUnitCount: 1)
    withExtendedLifetime((page, text, notes)) {}
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

  @Test("Programs and signals work as the comments show")
  func commands() async throws {
    let sorted = Command("sort").input("pears\napples\n").run().map { result in result.text }
    #expect(try await sorted.value == "apples\npears")
    let work = Deferred<Int>().promise
    let interrupt = Promise.signal(SIGINT)
    interrupt.onFulfilled { _ in work.cancel(upstream: true) }
    interrupt.cancel()
  }

  @Test("A thread works as the comments show")
  func threads() async throws {
    @Sendable func layout(_ size: Int) -> Int { size * 2 }
    let picture = Promise.fulfilled(21)
    let drawing = ThreadContext(named: "drawing")
    let shown = picture.map(on: drawing) { layout($0) }
    #expect(try await shown.value == 42)
  }
}
