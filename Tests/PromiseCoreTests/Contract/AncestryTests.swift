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

  @Test("An owner's promise has no parent and is its own root", .rule("6.3"))
  func owned() {
    let deferred = Deferred<Int>()
    let settled = Promise.fulfilled(1)
    #expect(deferred.promise.parent == nil)
    #expect(deferred.promise.root === deferred.promise)
    #expect(settled.root === settled)
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
}
