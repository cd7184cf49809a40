import PromiseCore
import TestSupport
import Testing

@Suite("Parent and root")
struct AncestryTests {
  let context = ManualContext()

  @Test("A pending promise knows its parent and its root", .rule("6.3"), arguments: LinkKind.links)
  func chain(_ kind: LinkKind) {
    let deferred = Deferred<Int>()
    let first = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    let second = kind.attach(to: first, on: context, giving: 2) {}
    #expect(first.parent === deferred.promise)
    #expect(second.parent === first)
    #expect(first.root === deferred.promise)
    #expect(second.root === deferred.promise)
    deferred.fulfill(1)
    context.runUntilIdle()
  }

  @Test("The parent of asVoid has another value type", .rule("6.3"))
  func otherType() {
    let deferred = Deferred<Int>()
    #expect(deferred.promise.asVoid().parent === deferred.promise)
  }

  @Test("The root is the furthest promise that pending promises lead to, even if it is settled", .rule("6.3"))
  func settledRoot() {
    let deferred = Deferred<Int>()
    let promises = [
      deferred.promise,
      deferred.promise.map(on: context) { $0 },
    ]
    let third = promises[1].map(on: context) { $0 }
    let fourth = third.map(on: context) { $0 }
    deferred.fulfill(1)
    #expect(promises[1].parent === promises[0])
    #expect(fourth.root === promises[0])
    context.step()
    #expect(third.parent === promises[1])
    #expect(fourth.root === promises[1])
    context.step()
    #expect(fourth.parent === third)
    #expect(fourth.root === third)
    context.step()
    #expect(fourth.root === fourth)
  }

  @Test("A settled promise retains no ancestor", .rule("6.3"), arguments: LinkKind.links, Settlement.allCases)
  func settledKeepsNone(_ kind: LinkKind, _ settlement: Settlement) {
    weak var ancestor: Promise<Int>?
    let derived: Promise<Int>
    do {
      let deferred = Deferred<Int>()
      derived = kind.attach(to: deferred.promise, on: context, giving: 2) {}
      ancestor = deferred.promise
      deferred.settle(settlement.result)
    }
    context.runUntilIdle()
    #expect(!derived.isPending)
    #expect(ancestor == nil)
  }

  @Test(
    "Cancelling a settled root reaches the pending promises below it", .rule("4.2", "6.3"), arguments: LinkKind.links)
  func cancelSettledRoot(_ kind: LinkKind) {
    let owner = Deferred<Int>()
    let derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
    let below = kind.attach(to: derived, on: context, giving: 2) {}
    owner.settle(kind.handlesValues ? .success(1) : .failure(TestError(1)))
    #expect(below.root === owner.promise)
    below.root.cancel(reason: TestError(7))
    #expect(derived.isCancelled && derived.seen == .failed(7) && below.isCancelled && below.seen == .failed(7))
    #expect(!owner.promise.isCancelled && !owner.promise.isPending)
  }

  @Test("A promise that no link made has no parent and is its own root", .rule("6.3"))
  func roots() {
    let owner = Deferred<Int>()
    let promises = [
      owner.promise, owner.promise.shielded(), Promise(on: context) { $0.fulfill(1) },
      Promise.run(on: context) { 1 }, .fulfilled(1), .rejected(TestError(1)),
    ]
    for promise in promises {
      #expect(promise.parent == nil && promise.root === promise)
    }
  }

  @Test("root and parent may be read after a cancellation", .rule("6.3"), arguments: LinkKind.links)
  func afterCancel(_ kind: LinkKind) {
    let owner = Deferred<Int>()
    let derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
    let below = kind.attach(to: derived, on: context, giving: 2) {}
    derived.cancel()
    #expect(owner.promise.root === owner.promise)
    for promise in [derived, below] {
      #expect(promise.root === promise || promise.root === derived || promise.root === owner.promise)
      promise.root.cancel()
    }
    let late = below.recover(on: context) { _ in 2 }
    #expect(late.parent === below && late.root === below)
  }

  @Test(
    "A cancelled promise retains neither its ancestors nor the promise that it had adopted", .rule("4.4", "6.3"),
    arguments: LinkKind.links)
  func keepsNoAncestor(_ kind: LinkKind) {
    weak var source: Promise<Int>?
    weak var adopted: Promise<Int>?
    let (derived, adopter): (Promise<Int>, Promise<Int>)
    do {
      let (owner, inner) = (Deferred<Int>(), Deferred<Int>())
      (source, adopted) = (owner.promise, inner.promise)
      derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
      adopter = Adopting.then.adopt(inner.promise, on: context).promise
      derived.cancel()
      adopter.cancel()
    }
    context.runUntilIdle()
    #expect(source == nil && adopted == nil)
    #expect(derived.isCancelled && adopter.isCancelled)
  }
}
