import TestSupport
import Testing

@Suite("Progress: shares", .serialized, .rule("5.4")) struct ShareTests {
  private let context = ManualContext()
  private let first = Deferred<Int>()
  private let second = Deferred<Int>()
  private let third = Deferred<Int>()

  @Test("A chain of then gives each link an equal share", .rule("2.6"), arguments: [false, true])
  func thenChain(isObserved: Bool) {
    let end = first.promise.then(on: context) { [second] _ in second.promise }
      .then(on: context) { [third] _ in third.promise }
    let watched = Watched(end, isObserved: isObserved)
    func expect(_ value: Double, _ line: UInt = #line) {
      let found = watched.progress
      #expect(found.isAbout(value), "line \(line): \(found)")
    }
    expect(0)
    first.report(progress: 0.5)
    expect(1 / 6)
    first.fulfill(1)
    expect(1 / 3)
    context.runUntilIdle()
    expect(1 / 3)
    second.report(progress: 0.75)
    expect(1 / 3 + 0.75 / 3)
    second.fulfill(1)
    context.runUntilIdle()
    expect(2 / 3)
    third.report(progress: 0.5)
    expect(5 / 6)
    third.fulfill(1)
    expect(1)
  }

  @Test("A link has the weight that it is given", arguments: [false, true])
  func weights(isObserved: Bool) {
    let end = first.promise.then(on: context, weight: 2) { [second] _ in second.promise }
      .map(on: context, weight: 5) { $0 }
    let watched = Watched(end, isObserved: isObserved)
    first.report(progress: 0.5)
    #expect(watched.progress == 0.0625)
    first.fulfill(1)
    context.runUntilIdle()
    second.report(progress: 0.5)
    #expect(watched.progress == 0.25)
  }

  @Test("An observer of a loop is told the progress of a step that replaces the previous step", .rule("3.3"))
  func collapsed() {
    let end = first.promise.then(on: context) { [second, third, context] _ in
      // No code retains this promise. When it adopts the third promise, `end` waits for the third promise instead.
      second.promise.then(on: context) { _ in third.promise }
    }
    let watched = Watched(end, isObserved: true)
    first.fulfill(1)
    second.fulfill(1)
    context.runUntilIdle()
    let before = watched.progress
    third.report(progress: 0.75)
    #expect(watched.progress > before)
  }

  @Test(
    "A step that replaces the previous step has the share of the rest that the previous step had", .rule("3.3", "5.4"),
    arguments: [false, true], [false, true])
  func shareOfCollapsed(isObserved: Bool, isRescue: Bool) {
    let owners = (0..<6).map { _ in Deferred<Int>() }
    // No code retains the promise of a step, so `end` waits for the promise of the next step instead.
    @Sendable func step(_ number: Int) -> Promise<Int> {
      let promise = owners[number].promise
      if number == owners.count - 1 { return promise }
      return isRescue
        ? promise.rescue(on: context) { _ in step(number + 1) } : promise.then(on: context) { _ in step(number + 1) }
    }
    let end = step(0)
    let watched = Watched(end, isObserved: isObserved)
    var rest = 1.0
    for owner in owners.dropLast() {
      owner.report(progress: 0.5)
      if isRescue { owner.reject(TestError(1)) } else { owner.fulfill(1) }
      context.runUntilIdle()
      rest /= 2
      #expect(watched.progress.isAbout(1 - rest))
    }
    owners[5].fulfill(1)
    context.runUntilIdle()
    #expect(watched.progress == 1)
  }

  @Test("A chain that weighs 65,535 gains no further weight")
  func heaviest() {
    let heaviest = first.promise.map(on: context, weight: 65_534) { $0 }
    let after = heaviest.map(on: context, weight: 1) { $0 }
    first.report(progress: 0.5)
    #expect(heaviest.progress.isAbout(0.5 / 65_535))
    #expect(after.progress.isAbout(0.5 / 65_535))
  }

  @Test(
    "A link accepts any weight, and a negative weight or NaN counts as 0",
    arguments: [(0.5, 1.5), (0, 1), (-3, 1), (.nan, 1), (100_000, 100_001), (3e8, 3e8 + 1), (65_533, 65_534)])
  func oddWeights(weight: Double, whole: Double) {
    let derived = first.promise.map(on: context, weight: weight) { $0 }
    let after = derived.map(on: context, weight: 1) { $0 }
    let branch = derived.then(on: context, weight: weight) { [second] _ in second.promise }
    let without = derived.map(on: context) { $0 }
    first.report(progress: 0.5)
    #expect(derived.progress.isAbout(0.5 / whole))
    #expect(without.progress.isAbout(0.5 / whole))
    #expect(after.progress.isAbout(0.5 / (whole + 1)))
    first.fulfill(1)
    context.runUntilIdle()
    second.report(progress: 0.5)
    let link = whole - 1
    #expect(link == 0 || branch.progress.isAbout((whole + 0.5 * link) / (whole + link)))
  }

  @Test("A link of infinite weight has a valid progress, which is 1 at the end")
  func infiniteWeight() {
    let derived = first.promise.map(on: context, weight: .infinity) { $0 }
    let below = derived.map(on: context) { $0 }
    first.report(progress: 0.5)
    #expect(derived.progress < 1e-6)
    #expect(below.progress < 1e-6)
    first.fulfill(1)
    let branch = derived.then(on: context) { [second] _ in second.promise }
    let rejected = derived.map(on: context, weight: .infinity) { _ in throw TestError(1) }
    context.runUntilIdle()
    #expect(derived.progress == 1)
    second.report(progress: 0.5)
    #expect(branch.progress > 0.99)
    #expect((0...1).contains(rejected.progress))
  }

  @Test(
    "then and tapThen add a share by default, and the other synchronous links add none", arguments: LinkKind.allCases)
  func kinds(_ kind: LinkKind) {
    let promise = kind.attach(to: first.promise, on: context, giving: 0) {}
    first.report(progress: 0.5)
    #expect(promise.progress == (kind.hasShare ? 0.25 : 0.5))
  }

  @Test("A mapped, shielded or void promise shows the progress of its source, and asyncTap adds a share")
  func mapped() {
    let mapped = first.promise.map(on: context) { $0 }.compactMap(on: context) { $0 }
    let all = mapped.map(on: context, fulfilled: { $0 }, rejected: { _ in 0 })
    let tapped = mapped.asyncTap { _ in }
    let shielded = first.promise.shielded()
    let void = first.promise.asVoid()
    first.report(progress: 0.5)
    #expect(mapped.progress == 0.5)
    #expect(all.progress == 0.5)
    #expect(tapped.progress == 0.25)
    #expect(shielded.progress == 0.5)
    #expect(void.progress == 0.5)
    first.promise.cancel()
  }

  @Test("The promise of an owner that is cancelled without clients shows the reports of its owner")
  func unobserved() {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let promise = owner.promise
    let watched = Watched(promise.asyncMap { $0 }, isObserved: true)
    owner.report(progress: 0.5)
    #expect(promise.progress == 0.5)
    #expect(watched.progress == 0.25)
    owner.reject(TestError(1))
    #expect(promise.progress == 0.5)
  }

  @Test("A promise made on a context is the root of its progress")
  func madeOnContext() {
    let slot = Log<Deferred<Int>>()
    let promise = Promise<Int>(on: context) { deferred in slot.append(deferred) }
    let child = promise.map(on: ManualContext(), weight: 1) { $0 }
    let run = Promise.run(on: context) { 1 }.map(on: ManualContext(), weight: 1) { $0 }
    #expect(promise.progress == 0)
    #expect(child.progress == 0)
    #expect(run.progress == 0)
    context.runUntilIdle()
    slot.entries[0].report(progress: 0.5)
    #expect(promise.progress == 0.5)
    #expect(child.progress == 0.25)
    #expect(run.progress == 0.5)
  }
}
