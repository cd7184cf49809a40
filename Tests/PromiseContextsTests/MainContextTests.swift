import Dispatch
import PromiseContexts
import TestSupport
import Testing

/// A class that only the main actor uses. It has no lock and is not `Sendable`.
@MainActor
private final class Display {
  var texts: [String] = []

  func show(_ text: String) {
    texts.append(isOnMainQueue ? text : "\(text), not on main")
  }
}

@MainActor
@Suite("Links on the main actor", .bounded)
struct MainContextTests {
  @Test("Handlers on the main queue run in order, however the context is written", .rule("2.1", "2.2"))
  func spellings() async throws {
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    let ends = [
      deferred.promise.tap(on: .main) { _ in log.append(1) },
      deferred.promise.tap(on: DispatchQueue.main) { _ in log.append(2) },
      deferred.promise.tap(on: .main) { _ in log.append(3) },
      deferred.promise.tap(on: .queue(.main)) { _ in log.append(4) },
      deferred.promise.tap(on: DispatchQueue.main) { _ in log.append(5) },
    ]
    deferred.fulfill(0)
    for end in ends { _ = try await end.value }
    #expect(log.entries == [1, 2, 3, 4, 5])
    let others = [DispatchQueue(label: "a"), DispatchQueue(label: "a")]
    #expect(others[0].identity != others[1].identity)
  }

  @Test("Observers and links of a promise run on the main thread in the order of attachment", .rule("2.2"))
  func order() async {
    let screen = Display()
    let deferred = Deferred<Int>()
    deferred.promise
      .onFulfilled(on: .main) { _ in screen.show("0") }
      .onRejected(on: .main) { _ in screen.show("never") }
      .onSettled(on: .main) { _ in screen.show("1") }
      .tap(on: .main) { _ in screen.show("2") }
    deferred.promise.always(on: .main) { _ in screen.show("3") }
    deferred.fulfill(1)
    let last = deferred.promise.map(on: .main) { _ in screen.show("4") }
    #expect(screen.texts.isEmpty, "rule 2.1: not inside the call, though this is the main thread")
    _ = await outcome(of: last)
    #expect(screen.texts == ["0", "1", "2", "3", "4"])
  }

  @Test("A closure on the main actor that throws or refuses rejects the promise", .rule("2.3"))
  func throwing() async {
    let thrown = Promise.fulfilled(1).map(on: .main, to: Int.self) { _ in throw TestError(6) }
    let refused = Promise.fulfilled(1).validate(on: .main) { $0 == 2 }
    #expect(await errorNumber(of: thrown) == 6)
    guard case .failure(PromiseError.validationFailed) = await outcome(of: refused) else {
      Issue.record("not refused")
      return
    }
  }
}
