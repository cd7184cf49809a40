import TestSupport
import Testing

@testable import PromiseCore

@Suite("Progress: sinks") struct ProgressSinksTests {
  /// Returns the numbers of the sinks in the order in which the library calls them.
  private func told(_ sinks: ProgressSinks, of all: [ProgressSink]) -> [Int] {
    sinks.places.compactMap { sink in all.firstIndex { $0 === sink } }
  }

  @Test(
    "Sinks are told in the order in which they were added, whichever of them are removed", .rule("2.2"),
    arguments: [1, 2, 16, 17, 1_000])
  func order(count: Int) {
    let all = (0..<2 * count).map { _ in ProgressSink() }
    var sinks = ProgressSinks()
    #expect(sinks.isEmpty)
    for sink in all.prefix(count) { sinks.add(sink) }
    #expect(told(sinks, of: all) == Array(0..<count))
    for index in 0..<count where index % 5 != 0 { #expect(sinks.remove(all[index]) === all[index]) }
    for sink in all.suffix(count) { sinks.add(sink) }
    #expect(told(sinks, of: all) == (0..<count).filter { $0 % 5 == 0 } + Array(count..<2 * count))
    for sink in all { _ = sinks.remove(sink) }
    #expect(sinks.isEmpty)
  }

  @Test("A sink that is added twice keeps its place, and is removed once", .rule("2.2"), arguments: [3, 100])
  func twice(count: Int) {
    let all = (0..<count).map { _ in ProgressSink() }
    var sinks = ProgressSinks()
    for sink in all + [all[1]] { sinks.add(sink) }
    #expect(told(sinks, of: all) == Array(0..<count))
    #expect(sinks.remove(all[1]) != nil && sinks.remove(all[1]) == nil)
    #expect(sinks.remove(ProgressSink()) == nil)
    #expect(told(sinks, of: all) == [0] + Array(2..<count))
  }

  @Test(
    "Sinks that come and go leave little behind, beside few and beside many other sinks", .rule("4.9"), .slow,
    arguments: [0, 10, 1_000])
  func comeAndGo(staying: Int) {
    let all = (0..<staying).map { _ in ProgressSink() }
    var sinks = ProgressSinks()
    for sink in all { sinks.add(sink) }
    var most = 0
    for round in 0..<10_000 {
      let guests = (0...round % 30).map { _ in ProgressSink() }
      for guest in guests { sinks.add(guest) }
      for guest in guests { _ = sinks.remove(guest) }
      most = max(most, sinks.places.count)
    }
    #expect(most <= 2 * staying + 100)
    #expect(told(sinks, of: all) == Array(0..<staying))
  }
}

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
