import Foundation
import LoopbackServer
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

// Screens as the guides describe them, with real requests.

private struct Note: Codable, Sendable { let title: String }

private enum Guide {
  @MainActor
  final class NotesScreen: CancelBagOwner {
    let cancelBag = CancelBag()
    private(set) var lines: [String] = []

    func load(_ request: HTTPRequest, in session: URLSession) {
      session.promise(for: request, decoding: [Note].self)
        .map { notes in notes.map(\.title) }
        .bound(to: self)
        .onFulfilled(on: .main) { [weak self] in self?.lines = $0 }
        .onRejected(on: .main) { [weak self] error in
          if error is CancellationError { return }  // the screen was dismissed
          self?.lines = ["Not available: \(error)"]
        }
    }

    func disappear() { cancelBag.cancelAll() }
  }

  @MainActor
  final class DownloadScreen {
    private(set) var saved: Promise<String>?
    private(set) var bar = 0.0
    private(set) var text = ""

    func start(_ request: HTTPRequest, to file: URL, in session: URLSession) {
      let saved = session.promise(for: request, downloadingTo: file).map { _ in "Saved as \(file.lastPathComponent)" }
      self.saved = saved
      saved.onProgress(on: .main) { self.bar = $0 }
      saved.onFulfilled(on: .main) { self.text = $0 }
      saved.onRejected(on: .main) { self.text = saved.isCancelled ? "Stopped" : "Failed: \($0)" }
    }

    func pressStop() { saved?.cancel(upstream: true) }  // the request stops: the server sees it
  }
}

@Suite("Documents: the screens of With Foundation", .bounded)
@MainActor
struct FoundationShapesTests {
  /// How a screen ends.
  enum End: CaseIterable, Sendable { case isReleased, disappears }

  @Test("A screen that is dismissed stops its request through a chain of links", .rule("4.6"), arguments: End.allCases)
  func dismissed(_ end: End) async throws {
    let unfinished = UnfinishedResponse(framing: .length(100))
    let exchange = try Exchange { _ in unfinished.response }
    var screen: Guide.NotesScreen? = Guide.NotesScreen()
    screen?.load(.get(exchange.server.address), in: exchange.session)
    try await unfinished.sent.value
    switch end {
    case .isReleased: screen = nil
    case .disappears: screen?.disappear()
    }
    try await unfinished.left.value  // the server has seen the end of the connection
    #expect(screen?.lines.isEmpty != false)
  }

  @Test("The stop button of a download stops the request")
  func stopped() async throws {
    let unfinished = UnfinishedResponse([.bytes(pattern(50))], framing: .length(100))
    let exchange = try Exchange { _ in unfinished.response }
    let screen = Guide.DownloadScreen()
    screen.start(.get(exchange.server.address), to: exchange.folder.file("film"), in: exchange.session)
    try await unfinished.sent.value
    screen.pressStop()
    try await unfinished.left.value
    // This job runs on the main actor after the handlers of the screen.
    _ = await Promise.run(on: .main) {}.failure
    #expect(screen.text == "Stopped")
  }

  @Test("A download screen shows the progress and the end of its download")
  func downloaded() async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in Response(pieces: [.call { gate.wait() }, .bytes(pattern(1_000))]) }
    let screen = Guide.DownloadScreen()
    screen.start(.get(exchange.server.address), to: exchange.folder.file("film"), in: exchange.session)
    // This handler is attached while the download is pending, so it runs after the handlers of the screen. A promise
    // may be settled before its handlers are scheduled. So a test that awaits only the value may reach the main actor
    // before them.
    let shown = try #require(screen.saved).map(on: .main) { _ in }
    gate.open()
    try await shown.value
    #expect(screen.text == "Saved as film" && screen.bar == 1)
  }
}
