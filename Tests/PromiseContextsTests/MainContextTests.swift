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

  @Test("Links for values run on the main thread, with closures that are @MainActor", .rule("8.1"))
  func values() async throws {
    let screen = Display()
    let end = Promise.fulfilled(1)
      .map(on: .main) { value in
        screen.show("map")
        return value + 1
      }
      .then(on: .main) { value in
        screen.show("then")
        return .fulfilled("\(value)")
      }
      .map(on: .main, to: Int.self) { text in
        screen.show("map fulfilled")
        return Int(text) ?? 0
      } rejected: { _ in
        0
      }
      .then(on: .main) { value in
        screen.show("then fulfilled")
        return .fulfilled(value)
      } rejected: { _ in
        .fulfilled(0)
      }
      .tap(on: .main) { screen.show("tap \($0)") }
      .validate(on: .main) { _ in
        screen.show("validate")
        return true
      }
      .compactMap(on: .main) { value in
        screen.show("compactMap")
        return Optional(value * 10)
      }
      .always(on: .main) { _ in screen.show("always") }
    #expect(try await value(of: end) == 20)
    let names = ["map", "then", "map fulfilled", "then fulfilled", "tap 2", "validate", "compactMap", "always"]
    #expect(screen.texts == names)
  }

  @Test("Links for errors run on the main thread, with closures that are @MainActor")
  func errors() async throws {
    let screen = Display()
    let end = Promise<Int>.rejected(TestError(1))
      .catch(on: .main) { _ in screen.show("catch") }
      .catch(only: TestError.self, on: .main) { screen.show("catch \($0.number)") }
      .mapError(on: .main) { _ in
        screen.show("mapError")
        return TestError(2)
      }
      .recover(on: .main) { error in
        screen.show("recover")
        throw error
      }
      .recover(from: TestError.self, on: .main) { error in
        screen.show("recover \(error.number)")
        throw TestError(3)
      }
      .map(on: .main) {
        $0
      } rejected: { error in
        screen.show("map rejected")
        throw error
      }
      .then(on: .main) {
        .fulfilled($0)
      } rejected: { error in
        screen.show("then rejected")
        return .rejected(error)
      }
      .rescue(on: .main) { error in
        screen.show("rescue")
        return .fulfilled((error as? TestError)?.number ?? 0)
      }
    #expect(try await value(of: end) == 3)
    let names = ["catch", "catch 1", "mapError", "recover", "recover 2", "map rejected", "then rejected", "rescue"]
    #expect(screen.texts == names)
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

  @Test("onRejected observes the error on the main thread")
  func rejected() async {
    let screen = Display()
    let promise = Promise<Int>.rejected(TestError(5)).onRejected(on: .main) { error in
      screen.show("\((error as? TestError)?.number ?? 0)")
    }
    _ = await outcome(of: promise.always(on: .main) { _ in screen.show("end") })
    #expect(screen.texts == ["5", "end"])
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
