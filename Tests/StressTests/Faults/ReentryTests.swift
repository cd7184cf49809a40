import Dispatch
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: reentrant user code")
  struct ReentryTests {
    @Test(
      "User code may use the promise for which it runs in any way, wherever the library calls it",
      .rule("2.1", "4.5", "6.5"), arguments: Spot.allCases, Deed.allCases)
    func inline(_ spot: Spot, _ deed: Deed) { check(spot, deed) { $0() } }

    @Test(
      "The library holds no lock while user code waits for another thread that uses the same promise", .rule("6.5"),
      arguments: Spot.allCases, Deed.allCases)
    func fromOtherThread(_ spot: Spot, _ deed: Deed) {
      check(spot, deed) { body in
        let done = Gate()
        DispatchQueue(label: "other").async {
          body()
          done.open()
        }
        done.wait("other thread: \(spot), \(deed)")
      }
    }

    private func check(_ spot: Spot, _ deed: Deed, _ way: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
    {
      let visits = Locked(0)
      let target = spot.reach { target in
        // The call may lead to this closure again.
        if visits.increment() == 1 { way { deed.apply(to: target) } }
      }
      target.end()
      #expect(visits.withLock(\.self) > 0)
      #expect(target.outcome == spot.outcome ?? deed.outcome)
      #expect(target.count == deed.handlers)
    }
  }
}
