import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7: promises returned by links", .rule("2.8"), .leavingNothing) struct Clause2_2_7Tests {
  @Test(
    "Every link returns a new promise, even attached twice, and every observer the same promise (2.2.7)", .rule("2.8"),
    arguments: Settling.allCases, Outcome.settled)
  func newPromise(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    settling.settle(as: outcome) { promise in
      for form in Form.allCases {
        let first = form.attach(to: promise, on: context) { _ in 0 }
        let second = form.attach(to: promise, on: context) { _ in 0 }
        #expect((first !== promise) == form.isLink, "\(form)")
        #expect((first !== second) == form.isLink, "\(form)")
      }
    }
  }

  @Test(
    "The derived promise is pending as long as its handler runs (2.2.7)", .rule("2.4"),
    arguments: Settling.allCases, Outcome.settled)
  func pendingDuringHandler(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.handling(outcome) where form.isLink {
      let context = ManualContext()
      let derived = Locked<Promise<Int>?>(nil)
      let seen = Log<Outcome?>()
      settling.settle(as: outcome) { promise in
        let promise = form.attach(to: promise, on: context) { _ in
          seen.append(derived.withLock { $0?.shown })
          return 1
        }
        derived.withLock { $0 = promise }
      }
      context.runUntilIdle()
      #expect(seen.entries == [.pending], "\(form)")
      #expect(derived.withLock { $0?.isPending } == false, "\(form)")
    }
  }

  @Test(
    "A handler is released before the handlers of the derived promise run (2.2.7)", .rule("2.4"),
    arguments: Settling.allCases, Outcome.settled)
  func handlerReleased(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.handling(outcome) where form.isLink {
      let context = ManualContext()
      let census = Tracked.Census()
      let seen = Log<Int>()
      settling.settle(as: outcome) { promise in
        let capture = Tracked(census)
        form.attach(to: promise, on: context) { _ in withExtendedLifetime(capture) { 0 } }
          .onSettled(on: context) { _ in seen.append(census.living) }
      }
      #expect(census.living == 1, "\(form)")
      context.runUntilIdle()
      #expect(seen.entries == [0], "\(form)")
    }
  }
}
