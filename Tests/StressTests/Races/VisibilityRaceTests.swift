import Foundation
import TestSupport
import Testing

extension Stress {
  /// Races in which only the promise orders the writes and the reads. No lock of a context or of a log orders them by
  /// chance, so ThreadSanitizer reports an ordering of the engine that is too weak.
  @Suite("Races: visibility of earlier writes")
  struct VisibilityRaceTests {
    /// A note that one thread writes. Safe as `@unchecked Sendable`, because that thread writes before it hands the
    /// note over.
    private final class Note: @unchecked Sendable {
      var text = 0
    }

    @Test(
      "A thread that reads an outcome, even of a derived promise, sees the writes before the settlement",
      .rule("1.3", "8.2"), arguments: [false, true])
    func lookAndSettle(isDerived: Bool) throws {
      try Duel.repeated { _ in
        let deferred = Deferred<Note>()
        let promise = isDerived ? deferred.promise.map(on: .atOnce) { $0 } : deferred.promise
        let note = Note()
        return Duel {
          note.text = 1
          deferred.fulfill(note)
        } second: { () -> Bool in
          var looks = 0
          while true {
            looks += 1
            if let seen = promise.state.value { return looks == 1 && seen.text == 1 }
          }
        } results: { _, isAtOnce in
          isAtOnce
        }
      }
    }

    @Test(
      "A handler sees the writes before the settlement and before its own attachment", .rule("2.1", "8.2"),
      arguments: 1...3)
    func attachAndSettle(count: Int) throws {
      try Duel.repeated { _ in
        let deferred = Deferred<Note>()
        let given = Note()
        let promise = deferred.promise
        let sums = (0..<count).map { _ in Answer<Int>() }
        let isHere = Answer<Bool>()
        return Duel {
          given.text = 1
          deferred.fulfill(given)
        } second: {
          let thread = ObjectIdentifier(Thread.current)
          for (index, sum) in sums.enumerated() {
            let own = Note()
            own.text = 2
            promise.onFulfilled(on: .atOnce) { given in
              if index == 0 { isHere(ObjectIdentifier(Thread.current) == thread) }
              sum(given.text + own.text)
            }
          }
        } firstCameFirst: {
          try #require(sums.allSatisfy { $0.value == 3 } && isHere.value != nil)
          return isHere.value
        }
      }
    }
  }
}
