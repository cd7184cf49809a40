import PromiseContexts
import TestSupport
import Testing

@Suite("Links without a context", .bounded)
struct BareLinkTests {
  /// Logs the names of all handlers, and of the handlers that ran on the main queue.
  private final class Places: Sendable {
    let all = Log<String>()
    let onMain = Log<String>()

    func note(_ name: String) {
      all.append(name)
      if isOnMainQueue { onMain.append(name) }
    }
  }

  @Test("Links for values run on the pool and never on the main thread")
  @MainActor
  func values() async throws {
    let places = Places()
    let end = Promise<Int>.run {
      places.note("run")
      return 1
    }
    .map { value in
      places.note("map")
      return value + 1
    }
    .then { value in
      places.note("then")
      return .fulfilled("\(value)")
    }
    .map(to: Int.self) { text in
      places.note("map to")
      return Int(text) ?? 0
    } rejected: { _ in
      0
    }
    .then { value in
      places.note("then fulfilled")
      return .fulfilled(value)
    } rejected: { _ in
      .fulfilled(0)
    }
    .tap { _ in places.note("tap") }
    .validate { value in
      places.note("validate")
      return value == 2
    }
    .compactMap { value in
      places.note("compactMap")
      return Optional(value * 10)
    }
    .always { _ in places.note("always") }
    #expect(try await value(of: end) == 20)
    let names = ["run", "map", "then", "map to", "then fulfilled", "tap", "validate", "compactMap", "always"]
    #expect(places.all.entries == names)
    #expect(places.onMain.entries.isEmpty)
  }

  @Test("Links for errors run on the pool and never on the main thread")
  @MainActor
  func errors() async throws {
    let places = Places()
    let end = Promise<Int>.run { throw TestError(1) }
      .catch { _ in places.note("catch") }
      .catch(only: TestError.self) { _ in places.note("catch only") }
      .mapError { _ in
        places.note("mapError")
        return TestError(2)
      }
      .recover { error in
        places.note("recover")
        throw error
      }
      .recover(from: TestError.self) { error in
        places.note("recover from")
        throw TestError(error.number + 1)
      }
      .map {
        $0
      } rejected: { error in
        places.note("map rejected")
        throw error
      }
      .then {
        .fulfilled($0)
      } rejected: { error in
        places.note("then rejected")
        return .rejected(error)
      }
      .rescue { error in
        places.note("rescue")
        return .fulfilled((error as? TestError)?.number ?? 0)
      }
    #expect(try await value(of: end) == 3)
    let names = [
      "catch", "catch only", "mapError", "recover", "recover from", "map rejected", "then rejected", "rescue",
    ]
    #expect(places.all.entries == names)
    #expect(places.onMain.entries.isEmpty)
  }

  @Test("Each observer runs once, on the pool and never on the main thread")
  @MainActor
  func observers() async {
    let places = Places()
    for promise in [Promise.fulfilled(1), .rejected(TestError(1))] {
      await withCheckedContinuation { continuation in
        // Observers of one promise may run in any order. Each observer counts down, and the last resumes the test.
        let left = Locked(2)
        let done: @Sendable (String) -> Void = { name in
          places.note(name)
          let isLast = left.withLock { left in
            left -= 1
            return left == 0
          }
          if isLast { continuation.resume() }
        }
        promise.onFulfilled { _ in done("fulfilled") }.onRejected { _ in done("rejected") }.onSettled { _ in
          done("settled")
        }
      }
    }
    #expect(places.all.entries.sorted() == ["fulfilled", "rejected", "settled", "settled"])
    #expect(places.onMain.entries.isEmpty)
  }

  @Test("always observes errors too and passes them on unchanged")
  func alwaysSeesErrors() async {
    let log = Log<Bool>()
    let end = Promise<Int>.rejected(TestError(4)).always { if case .failure = $0 { log.append(true) } }
    #expect(await errorNumber(of: end) == 4)
    #expect(log.entries == [true])
  }
}
