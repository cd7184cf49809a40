import TestSupport
import Testing

@testable import PromiseCore

/// The races of two threads last only a few instructions here, so each test makes the two calls one after the other.
@Suite("Progress that has ended") struct ProgressStateTests {
  @Test("A report after the end is not told and does not change the progress", .rule("5.1", "5.2"))
  func afterTheEnd() {
    var state = ProgressState()
    let first = state.raise(to: 0.25)
    _ = state.end(isFulfilled: false)
    let late = state.raise(to: 0.75)
    #expect(first != nil && late == nil)
    #expect(state.shown == 0.25)
  }

  @Test("An observer that is present at the end is removed, and a later observer is refused", .rule("5.2", "6.3"))
  func observers() {
    var state = ProgressState()
    let sink = ProgressSink()
    let isAdded = state.add(sink)
    let end = state.end(isFulfilled: true)
    let isAddedLate = state.add(ProgressSink())
    #expect(isAdded && !isAddedLate && !state.isObserved)
    #expect(end?.sinks.count == 1 && end?.sinks.first === sink)
  }
}
