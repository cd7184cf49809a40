import Dispatch
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: user code that comes back")
  struct ReentryTests {
    @Test(
      "rules 2.1 4.5 6.5: wherever user code runs, it may do anything with the promise it runs for",
      arguments: Spot.allCases,
      Deed.allCases)
    func inline(_ spot: Spot, _ deed: Deed) { check(spot, deed) { $0() } }

    @Test(
      "rule 6.5: no lock is held while it runs: another thread may do the same meanwhile, and is waited for",
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
        // What it does may lead here again.
        if visits.increment() == 1 { way { deed.apply(to: target) } }
      }
      target.end()
      #expect(visits.withLock(\.self) > 0)
      #expect(target.outcome == spot.outcome ?? deed.outcome)
      #expect(target.count == deed.handlers)
    }
  }
}
