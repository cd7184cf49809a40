import PromiseCombinators
import TestSupport
import Testing

@Suite("Progress of combinators", .leavingNothing)
struct CombinedProgressTests {
  let owners = (0..<2).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test("all shows the mean progress of its inputs, and keeps its progress when it is rejected", .rule("5.4"))
  func all() {
    let all = Promise.all(inputs)
    owners[0].report(progress: 0.5)
    #expect(all.progress == 0.25)
    owners[1].fulfill(1)
    #expect(all.progress == 0.75)
    owners[0].reject(TestError())
    #expect(all.progress == 0.75)
  }

  @Test(
    "An observer of a result gets each report, and a late observer gets the current progress", .rule("5.3", "5.4"),
    arguments: 0..<8)
  func observedResult(_ which: Int) {
    switch which {
    case 0: expectReports(of: Promise.all(inputs), [0.25, 0.625])
    case 1: expectReports(of: Promise.any(inputs), [0.5, 0.75])
    case 2: expectReports(of: Promise.race(inputs), [0.5, 0.75])
    case 3: expectReports(of: Promise.all(["a": inputs[0], "b": inputs[1]]), [0.25, 0.625])
    case 4: expectReports(of: Promise.allSettled(["a": inputs[0], "b": inputs[1]]), [0.25, 0.625])
    case 5: expectReports(of: Promise.any(["a": inputs[0], "b": inputs[1]]), [0.5, 0.75])
    case 6: expectReports(of: Promise.race(enumerating: inputs), [0.5, 0.75])
    default: expectReports(of: Promise.allSettled(inputs), [0.25, 0.625])
    }
  }

  private func expectReports(of result: Promise<some Sendable>, _ expected: [Double]) {
    let (context, seen, late) = (ManualContext(), Log<Double>(), Log<Double>())
    result.onProgress(on: context) { seen.append($0) }
    for (owner, progress) in zip(owners, [0.5, 0.75]) {
      owner.report(progress: progress)
      context.runUntilIdle()
    }
    #expect(seen.entries == expected)
    result.onProgress(on: context) { late.append($0) }
    context.runUntilIdle()
    #expect(late.entries == expected.suffix(1))
  }

  @Test("any and race show the maximum progress of their inputs", .rule("5.4"), arguments: [0, 1])
  func maximum(_ which: Int) {
    let first = which == 0 ? Promise.any(inputs) : .race(inputs)
    owners[0].report(progress: 0.5)
    owners[1].report(progress: 0.25)
    #expect(first.progress == 0.5)
    owners[1].report(progress: 0.75)
    #expect(first.progress == 0.75)
    owners[0].fulfill(1)
    #expect(first.progress == 1)
  }

  @Test("allSettled shows the mean progress, where a settled input counts as 1", .rule("5.4"))
  func settled() {
    let all = Promise.allSettled(inputs)
    owners[0].report(progress: 0.2)
    owners[1].reject(TestError())
    #expect(all.progress == 0.6)
  }

  @Test("Observers get each report through links and combinators", .rule("5.1", "5.4"))
  func observed() {
    let context = ManualContext()
    let seen = Log<Double>()
    let inner = Promise.all([inputs[0].map(on: context, weight: 1) { $0 }])
    let outer = Promise.race([inner.map(on: context, weight: 1) { $0[0] }]).map(on: context, weight: 1) { $0 }
    outer.onProgress(on: context) { seen.append($0) }
    for value in [0.25, 0.5, 1] {
      owners[0].report(progress: value)
      context.runUntilIdle()
    }
    // The result shows half of each report for each of the three `map`s.
    #expect(seen.entries == [0.03125, 0.0625, 0.125])
    owners[0].fulfill(1)
    context.runUntilIdle()
    #expect(seen.entries.last == 1)
  }

  @Test("Deeply nested combinators pass on their progress in a loop", .rule("6.4"), .slow)
  func depth() {
    let owner = Deferred<Int>()
    var last = owner.promise
    for _ in 0..<20_000 { last = Promise.race([last]) }
    #expect(last.progress == 0)
    owner.report(progress: 0.5)
    #expect(last.progress == 0.5)
    owner.fulfill(1)
    #expect(last.progress == 1)
  }

  @Test("An input keeps no observers of results that were cancelled and released", .rule("4.9"))
  func leaves() {
    let census = Tracked.Census()
    let context = ManualContext()
    for _ in 0..<1_000 {
      let race = Promise.race(inputs)
      race.onProgress(on: context) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
      race.cancel()
    }
    context.runUntilIdle()
    #expect(census.living == 0)
  }

  @Test("The progress of a result never exceeds 1, whatever the weights of its inputs", .rule("5.1", "5.4"))
  func heavyInput() {
    let context = ManualContext()
    let failing = owners[0].promise.map(on: context, weight: 3) { $0 }
      .map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
    let outer = Promise.any([Promise.race([failing]), owners[1].promise])
    let seen = Log<Double>()
    outer.onProgress(on: context) { seen.append($0) }
    owners[0].fulfill(1)
    context.runUntilIdle()
    #expect(outer.isPending && outer.progress <= 1 && seen.entries.allSatisfy { $0 <= 1 })
  }
}
