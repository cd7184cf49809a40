import PromiseCore
import TestSupport
import Testing

@Suite("Giving up promises that handlers return", .leavingNothing)
struct AdoptionCaseTests {
  private let context = ManualContext()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Makes a promise that has adopted a link of the work, `length` links below the work.
  private func adopter(_ way: Adopting, length: Int = 1) -> Adopting.Adopter {
    way.adopt((0..<length).reduce(work.promise) { promise, _ in link(promise) }, on: context)
  }

  @Test(
    "Cancelling an adopter or follower in either way stops the work behind links",
    .rule("4.2", "4.4"), arguments: Adopting.allCases, CancelForm.allCases)
  func adopted(_ way: Adopting, _ form: CancelForm) {
    for length in [0, 1, 3] {
      let work = StoppableWork()
      let inner = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
      let adopter = way.adopt(inner, on: context)
      form.apply(to: adopter.promise)
      #expect(work.isStopped && areCancelled([inner, adopter.promise]), "\(length) links")
    }
  }

  @Test(
    "Adopted work stops when its adopter is cancelled from above", .rule("4.2", "4.4"),
    arguments: Adopting.allCases)
  func adoptedFromAbove(_ way: Adopting) {
    let source = way.isForErrors ? Promise<Int>.rejected(TestError(1)) : .fulfilled(1)
    let inner = link(work.promise)
    guard way != .follow else { return }
    let adopter = way.derive(from: source, on: context) { inner }
    context.step()
    source.cancel(reason: TestError(7))
    #expect(adopter.isCancelled && adopter.seen == .failed(7))
    #expect(work.isStopped && work.reasonNumbers == [7])
  }

  @Test(
    "Adopted work goes on if it has another consumer, at any link", .rule("4.4"), arguments: Adopting.allCases, 0..<3)
  func sharedAdopted(_ way: Adopting, place: Int) {
    let promises = [work.promise, link(work.promise)]
    let all = promises + [link(promises[1])]
    let other = link(all[place])
    let adopter = way.adopt(all[2], on: context)
    adopter.promise.cancel()
    #expect(work.goesOn && other.isPending)
    #expect(areCancelled(Array(all[(place + 1)...])) && all[...place].allSatisfy { $0.isPending })
  }

  @Test(
    "A promise returned by a handler after its derived promise was cancelled is given up",
    .rule("2.5", "4.4"), arguments: Adopting.allCases.filter { $0 != .follow }, CancelForm.allCases)
  func returnedLate(_ way: Adopting, _ form: CancelForm) {
    let (work, context) = (work, context)
    let box = Locked<Promise<Int>?>(nil)
    let during = Log<Bool>()
    let derived = way.derive(
      from: way.isForErrors ? .rejected(TestError(1)) : .fulfilled(1), on: context
    ) {
      let returned = work.promise.map(on: context) { $0 }
      if let derived = box.withLock({ $0 }) { form.apply(to: derived) }
      during.append(work.goesOn)
      return returned
    }
    box.withLock { $0 = derived }
    context.step()
    box.withLock { $0 = nil }
    #expect(during.entries == [true])
    #expect(areCancelled([derived]) && work.isStopped)
  }

  @Test(
    "A promise returned by a handler after its derived promise was cancelled goes on with another consumer",
    .rule("2.5", "4.4"), arguments: CancelForm.allCases)
  func returnedLateShared(_ form: CancelForm) {
    let (work, context) = (work, context)
    let box = Locked<Promise<Int>?>(nil)
    let others = Log<Promise<Int>>()
    let derived = Promise.fulfilled(1).then(on: context) { _ in
      let returned = work.promise.map(on: context) { $0 }
      others.append(returned.map(on: context) { $0 })
      if let derived = box.withLock({ $0 }) { form.apply(to: derived) }
      return returned
    }
    box.withLock { $0 = derived }
    context.step()
    box.withLock { $0 = nil }
    #expect(areCancelled([derived]) && work.goesOn && others.entries.allSatisfy { $0.isPending })
    others.entries.first?.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "Cancelling a settled promise stops the work that a promise below it has adopted", .rule("4.2", "4.4"),
    arguments: CancelForm.allCases)
  func throughSettled(_ form: CancelForm) {
    let source = Promise.fulfilled(1)
    let inner = work.promise
    let derived = source.then(on: context) { _ in inner }
    context.step()
    #expect(derived.isPending)
    form.apply(to: source)
    #expect(source.seen == .fulfilled(1) && areCancelled([derived]) && work.isStopped)
  }

  @Test(
    "Cancelling reaches a pending promise through settled promises that have been released", .rule("4.2", "6.1"),
    arguments: CancelForm.allCases)
  func throughReleased(_ form: CancelForm) {
    let owner = Deferred<Int>()
    let first = owner.promise
    weak var probe: Promise<Int>?
    let last: Promise<Int>
    do {
      let middle = link(first)
      probe = middle
      let inner = work.promise
      last = middle.then(on: context) { _ in inner }
    }
    owner.fulfill(1)
    context.runUntilIdle()
    #expect(probe == nil && last.isPending && work.goesOn)
    form.apply(to: first)
    #expect(first.seen == .fulfilled(1) && areCancelled([last]) && work.isStopped)
  }

  @Test("A plain cancel below an adopter leaves the adopter pending, and giving up cancels it", .rule("4.2", "4.4"))
  func belowAdopter() {
    let adopter = adopter(.then)
    link(adopter.promise).cancel()
    #expect(adopter.promise.isPending && work.goesOn)
    link(adopter.promise).cancel(upstream: true)
    #expect(areCancelled([adopter.promise]) && work.isStopped)
  }

  @Test("An adopter is not below the promise that it adopted", .rule("3.1", "4.0"))
  func notBelow() {
    for way in Adopting.allCases {
      let work = StoppableWork()
      let adopter = way.adopt(work.promise, on: context)
      let recovered = adopter.promise.recover(on: context) { _ in 0 }
      work.promise.cancel(reason: TestError(7))
      #expect(adopter.promise.isCancelled && adopter.promise.seen == .failed(7))
      context.runUntilIdle()
      #expect(recovered.seen == .fulfilled(0), "\(way)")
    }
  }
}
