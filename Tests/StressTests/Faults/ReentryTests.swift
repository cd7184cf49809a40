import Dispatch
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: reentrant user code")
  struct ReentryTests {
    @Test(
      "User code may use the promise for which it runs in any way, wherever the library calls it",
      .rule("2.1", "4.5", "6.5"), arguments: ReentryPlace.allCases, ReentrantCall.allCases)
    func inline(_ place: ReentryPlace, _ call: ReentrantCall) { check(place, call) { $0() } }

    @Test(
      "The library holds no lock while user code waits for another thread that uses the same promise", .rule("6.5"),
      arguments: ReentryPlace.allCases, ReentrantCall.allCases)
    func fromOtherThread(_ place: ReentryPlace, _ call: ReentrantCall) {
      check(place, call) { body in
        let done = Gate()
        DispatchQueue(label: "other").async {
          body()
          done.open()
        }
        done.wait("other thread: \(place), \(call)")
      }
    }

    private func check(
      _ place: ReentryPlace, _ call: ReentrantCall, _ way: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
      let visits = Locked(0)
      let target = place.reach { target in
        // The call may lead to this closure again.
        if visits.increment() == 1 { way { call.apply(to: target) } }
      }
      target.end()
      #expect(visits.withLock(\.self) > 0)
      #expect(target.outcome == place.outcome ?? call.outcome)
      #expect(target.count == call.handlers)
    }
  }
}
