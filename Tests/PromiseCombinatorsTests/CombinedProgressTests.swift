import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("Progress of combinators", .leavingNothing) struct CombinedProgressTests {
  let owners = (0..<2).map { _ in Deferred<Int>() }
  private let context = ManualContext()
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test(
    "A result shows each observer the mean progress of as many inputs as it needs", .rule("5.3", "5.4"),
    arguments: Combinator<Int>.all)
  func reports(_ combinator: Combinator<Int>) {
    let context = ManualContext()
    let seen = Log<Double>()
    let late = Log<Double>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let inputs = owners.map(\.promise)
    let result = combinator.combine(inputs)
    result.logProgress(in: seen, on: context)
    let reports = [[0.75, 0, 0], [0.75, 0.25, 0], [0.75, 0.25, 0.5], [1, 0.25, 0.5]]
    for report in reports {
      for (owner, progress) in zip(owners, report) { owner.report(progress: progress) }
      context.runUntilIdle()
    }
    let count = combinator.countNeeded(of: 3)
    let expected = reports.map { $0.sorted(by: >).prefix(count).reduce(0, +) / Double(count) }
    // A value that does not rise is not shown again.
    #expect(seen.entries == (count == 1 ? [0.75, 1] : expected))
    // A late observer gets the current progress.
    result.logProgress(in: late, on: context)
    context.runUntilIdle()
    #expect(late.entries == expected.suffix(1))
    #expect(combinator.combine(inputs.reversed()).progress == expected.last)
    withExtendedLifetime(owners) {}
  }

  @Test("A settled input counts as 1, and a rejected result keeps its progress", .rule("5.4"))
  func settledInputs() {
    let other = Deferred<Int>()
    let all = Promise.all(inputs)
    let any = Promise.any(inputs)
    let settled = Promise.allSettled([other.promise, inputs[0]])
    owners[0].report(progress: 0.5)
    owners[1].fulfill(1)
    #expect(all.progress == 0.75)
    #expect(any.progress == 1)
    other.report(progress: 0.2)
    owners[0].reject(TestError())
    #expect(all.progress == 0.75)
    #expect(settled.progress == 0.6)
  }

  @Test("Observers get each report through links and combinators", .rule("5.1", "5.4"))
  func observed() {
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
    context.runUntilIdle(after: owners[0].fulfill(1))
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
    let failing = owners[0].promise.map(on: context, weight: 3) { $0 }
      .map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
    let outer = Promise.any([Promise.race([failing]), owners[1].promise])
    let seen = Log<Double>()
    outer.onProgress(on: context) { seen.append($0) }
    context.runUntilIdle(after: owners[0].fulfill(1))
    #expect(outer.isPending)
    #expect(outer.progress <= 1)
    #expect(seen.entries.allSatisfy { $0 <= 1 })
  }

  @Test("A result shows the progress behind a bypassed promise that several inputs had adopted", .rule("3.3", "5.4"))
  func bypassed() {
    let context = ManualContext()
    let start = Deferred<Int>()
    let all = {
      let bypassed = start.promise.then(on: context) { [promise = inputs[0]] _ in promise }
      return Promise.all((0..<2).map { _ in Promise.fulfilled(0).then(on: context) { _ in bypassed } })
    }()
    context.runUntilIdle()
    #expect(all.progress > 0)
    start.fulfill(1)
    context.runUntilIdle()
    let before = all.progress
    owners[0].report(progress: 0.75)
    #expect(all.progress > before)
  }

  @Test("A rejected result does not show the progress of the input that has failed", .rule("5.2", "5.4"))
  func failedInput() {
    let all = Promise.all(inputs)
    owners[0].report(progress: 1)
    owners[0].reject(TestError())
    #expect(all.isRejected)
    #expect(all.progress <= 0.5)
  }
}
