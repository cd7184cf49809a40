import TestSupport
import Testing

@testable import PromiseCore

/// The races of two threads last only a few instructions here, so each test makes the two calls one after the other.
@Suite("The progress of one promise") struct ProgressStateTests {
  @Test("A report after the end is not told and does not change the progress", .rule("5.1", "5.2"))
  func afterTheEnd() {
    var state = ProgressState()
    let first = state.raise(to: 0.25)
    _ = state.end()
    let late = state.raise(to: 0.75)
    #expect(first != nil)
    #expect(late == nil)
    #expect(state.shown == 0.25)
  }

  @Test("An observer that is present at the end is removed, and a later observer is refused", .rule("5.2", "6.3"))
  func observers() {
    var state = ProgressState()
    let sink = ProgressSink()
    let isAdded = state.add(sink)
    let end = state.end()
    let isAddedLate = state.add(ProgressSink())
    #expect(isAdded)
    #expect(!isAddedLate)
    #expect(!state.isObserved)
    #expect(end?.sinks.count == 1)
    #expect(end?.sinks.first === sink)
  }
  @Test(
    "An observer that leaves is told nothing any more, and those that stay are told, in any order", .rule("4.9", "5.3"),
    arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 2, 0, 0, 3, 1]])
  func leaving(order: [Int]) {
    var state = ProgressState()
    let sinks = (0..<4).map { _ in ProgressSink() }
    for sink in sinks { _ = state.add(sink) }
    var staying = Set(0..<4)
    for (step, leaver) in order.enumerated() {
      let removed = state.remove(sinks[leaver])
      #expect(removed === (staying.remove(leaver).map { sinks[$0] }))
      let told = state.raise(to: Double(step + 1) / 8)?.sinks ?? []
      #expect(told.count == staying.count && staying.allSatisfy { stays in told.contains { $0 === sinks[stays] } })
    }
    #expect(!state.isObserved)
  }

  @Test("An observed promise that is settled leaves nothing behind at the promise for which it waited", .rule("4.9"))
  func settledWatch() {
    let source = Deferred<Int>()
    func watches() -> Int? { source.promise.locked { source.promise.side?.progress.dependentWatches.count } }
    let derived = source.promise.map(on: ManualContext()) { $0 }.onProgress(on: ManualContext()) { _ in }
    #expect(watches() == 1)
    derived.cancel()
    #expect(watches() == 0)
  }
}
