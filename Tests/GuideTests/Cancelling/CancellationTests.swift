import PromiseCombinators
import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

// Contains the opening example, the screen and the dialog of Docs/Guides/Cancellation.md, word for word.
// `Scripts/check-snippets.py` compares them.

/// A server on which all callers share one request.
private final class Server: Sendable {
  private let stops = Locked(0)
  private let towns = Deferred<[String]>()

  var countStopped: Int { stops.withLock { $0 } }

  init() {
    towns.onCancel { [stops] _ in _ = stops.increment() }
  }

  func towns(startingWith text: String) -> Promise<[String]> { towns.promise }
}

private enum Guide {
  typealias Server = GuideServer

  final class WeatherScreen: CancelBagOwner, Sendable {
    let cancelBag = CancelBag()
    let text = Log<String>()

    func load(from server: Server) {
      server.page("weather")
        .map { page in "Today: \(page)" }
        .bound(to: self)
        .onFulfilled { [weak self] line in self?.text.append(line) }
    }
  }
}

private struct PickerDismissed: Error {}

/// A dialog that the user closes without a choice.
private struct Picker {
  let openings = Log<Int>()

  func photo() -> Promise<String> {
    openings.append(1)
    return .rejected(PickerDismissed())
  }
}

private struct Album {
  let picker = Picker()

  func photo() -> Promise<String> {
    picker.photo().markCancelled { error in error is PickerDismissed }
  }
}

@Suite("The guide to cancellation: opening example, screen and dialog") struct CancellationTests {
  @Test("A dialog that was closed is a cancellation, and is not opened again", .rule("1.2"))
  func dialog() throws {
    try TestWorld.run { world in
      let album = Album()
      let photo = world.settling(Promise.retry(attempts: 3) { album.photo() })
      #expect(photo.isCancelled)
      #expect(photo.error is PickerDismissed)
      #expect(album.picker.openings.entries == [1])
    }
  }

  private func typed(_ server: Server) -> (hits: Promise<[String]>, best: Promise<String>) {
    let hits = server.towns(startingWith: "Os")
    let best = hits.map { $0.first ?? "no such town" }
    best.cancel(upstream: true)  // the next letter was typed
    return (hits, best)
  }

  @Test("The request stops when its last consumer gives up", .rule("4.4"), arguments: [false, true])
  func stops(hasOtherConsumer: Bool) {
    let server = Server()
    let count = hasOtherConsumer ? server.towns(startingWith: "Os").map { $0.count } : nil
    let (hits, best) = typed(server)
    #expect(best.isCancelled)
    #expect(hits.isPending == hasOtherConsumer)
    #expect(count?.isPending != false)
    #expect(server.countStopped == (hasOtherConsumer ? 0 : 1))
  }

  @Test(
    "Handlers of `catch` and `always` along a chain run in its order after a rejection and after a cancellation",
    .rule("2.5"), arguments: [false, true])
  func order(isCancelled: Bool) {
    let context = ManualContext()
    let order = Log<Int>()
    let page = Deferred<String>()
    let last = page.promise
      .always(on: context) { _ in order.append(1) }
      .catch(on: context) { _ in order.append(2) }
      .always(on: context) { _ in order.append(3) }
    if isCancelled { last.cancel(upstream: true) } else { page.reject(CancellationError()) }
    context.runUntilIdle()
    #expect(order.entries == [1, 2, 3])
  }

  @Test("A screen that is deallocated stops its work", .rule("4.6"))
  func screen() throws {
    try TestWorld.run(checking: .running) { world in
      let server = GuideServer()
      var screen: Guide.WeatherScreen? = Guide.WeatherScreen()
      let text = screen?.text
      screen?.load(from: server)
      server.answer("weather", with: .success("sun"))
      world.runUntilIdle()
      #expect(text?.entries == ["Today: sun"])

      screen?.load(from: server)
      screen = nil
      world.runUntilIdle()
      #expect(server.stopped == ["weather"])
    }
  }
}
