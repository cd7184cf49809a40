import PromiseCore
import TestSupport
import Testing

@Suite("The family tree: what is below a settled promise")
struct FamilyTests {
  private let context = ManualContext()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("A promise that left its source is not below it, though its handler of errors runs", .rule("4.0", "2.5"))
  func left() {
    let owner = Deferred<Int>()
    let first = owner.promise
    let caught = first.catch(on: context) { _ in }
    caught.cancel()
    let recovered = caught.recover(on: context) { _ in 1 }
    owner.reject(TestError(1))
    context.step()
    context.step()
    let later = link(recovered)
    first.cancel()
    #expect(later.isPending)
    context.runUntilIdle()
    #expect(later.seen == .fulfilled(1))
  }

  @Test(
    "A promise that is reached by `parent` while a handler runs is cancelled with all that comes of it",
    .rule("4.2", "6.3"))
  func reachedByParent() throws {
    let owner = Deferred<Int>()
    let running = Log<AnyPromise>()
    let derived = Log<Promise<Int>>()
    let second = link(link(owner.promise))
    let third = second.map(on: context) { value in
      if let parent = derived.entries.first?.parent { running.append(parent) }
      return value
    }
    derived.append(third)
    owner.fulfill(1)
    context.runUntilIdle()
    let fourth = link(third)
    let parent = try #require(running.entries.first)
    #expect(parent === second)
    parent.cancel()
    #expect(third.isFulfilled && fourth.isCancelled)
  }

  @Test(
    "What is below an unheld promise is found once its `parent` was asked for", .rule("4.2", "6.3"),
    arguments: [false, true])
  func unheld(_ isAncestorHeld: Bool) throws {
    let owner = Deferred<Int>()
    var ancestor: Promise<Int>? = owner.promise
    let last = link(link(owner.promise))
    owner.fulfill(1)
    if !isAncestorHeld { ancestor = nil }
    context.step()
    // Its handler waits, and nothing holds its source.
    let parent = try #require(last.parent)
    context.step()
    let below = link(last)
    parent.cancel()
    #expect(last.isFulfilled && below.isCancelled)
    withExtendedLifetime(ancestor) {}
  }

  @Test("What is below an unheld promise is found from above", .rule("4.2"), arguments: 1...4)
  func unheldInBetween(_ steps: Int) {
    let owner = Deferred<Int>()
    let promise = owner.promise
    let last = (0..<5).reduce(promise) { last, _ in link(last) }
    owner.fulfill(1)
    for _ in 0..<steps { context.step() }
    promise.cancel()
    #expect(last.isCancelled)
  }

  @Test(
    "A promise that forked while nothing held it is found from above, in all its branches", .rule("4.2"),
    arguments: [false, true])
  func unheldFork(_ isHeldLater: Bool) {
    let owner = Deferred<Int>()
    let promise = owner.promise
    func branches() -> [Promise<Int>] {
      let fork = link(promise)
      return (0..<3).map { _ in link(fork) }
    }
    let leaves = branches()
    owner.fulfill(1)
    context.step()
    let parent = isHeldLater ? leaves[0].parent : nil
    #expect((parent != nil) == isHeldLater)
    (parent ?? promise).cancel()
    #expect(leaves.allSatisfy { $0.isCancelled })
  }

  @Test("Asking for `parent` and then cancelling leaves nothing dangling", .rule("6.3"))
  func parentThenCancel() {
    let settled = Promise.fulfilled(1)
    let log = Log<Promise<Int>>()
    let running = settled.map(on: context) { value in
      log.entries.first?.cancel()
      return value
    }
    log.append(running)
    #expect(running.parent === settled)
    context.runUntilIdle()
    settled.cancel()
    #expect(running.isCancelled)
  }

  @Test("A weak reference to a promise in between reaches what is below it", .rule("4.2"))
  func weakly() throws {
    let owner = Deferred<Int>()
    weak var between: Promise<Int>?
    func chain() -> Promise<Int> {
      let promise = link(owner.promise)
      between = promise
      return link(promise)
    }
    let last = chain()
    owner.fulfill(1)
    context.step()
    try #require(between).cancel()
    #expect(last.isCancelled)
  }

  @Test(
    "A promise that is cancelled below a settled one stays below it", .rule("4.0", "4.2"), arguments: [false, true])
  func cancelledBelow(_ isRunning: Bool) {
    let settled = Promise.fulfilled(1)
    let log = Log<Promise<Int>>()
    let derived = settled.map(on: context) { value in
      if isRunning { log.entries.first?.cancel() }
      return value
    }
    log.append(derived)
    if !isRunning { derived.cancel() }
    context.runUntilIdle()
    let below = derived.recover(on: context) { _ in 2 }
    settled.cancel()
    #expect(below.isCancelled)
  }

  @Test("A forward that has let its source go is found from above", .rule("4.2", "6.1"), arguments: [false, true])
  func forward(_ isSourceHeld: Bool) throws {
    let owner = Deferred<Int>()
    let inner = Deferred<Int>()
    let promise = owner.promise
    var second: Promise<Int>? = link(promise)
    let adopting = try #require(second).then(on: context) { _ in inner.promise }
    owner.fulfill(1)
    context.runUntilIdle()
    if !isSourceHeld { second = nil }
    promise.cancel()
    #expect(adopting.isCancelled && inner.promise.isCancelled)
    withExtendedLifetime(second) {}
  }
}
