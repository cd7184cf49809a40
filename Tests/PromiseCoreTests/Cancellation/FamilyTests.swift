import TestSupport
import Testing

@Suite("The family tree: promises below a settled promise") struct FamilyTests {
  private let context = ManualContext()
  private let owner = Deferred<Int>()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("A promise that has left its source is not below the source", .rule("4.0", "2.5"), arguments: [false, true])
  func left(_ hasRun: Bool) {
    let caught = owner.promise.catch(on: context) { _ in }
    caught.cancel()
    let recovered = hasRun ? caught.recover(on: context) { _ in 1 } : nil
    owner.reject(TestError(1))
    if hasRun { for _ in 0..<2 { context.step() } }
    let later = recovered.map(link) ?? caught.recover(on: context) { _ in 1 }
    owner.promise.cancel()
    #expect(later.isPending)
    context.runUntilIdle()
    #expect(later.status == .fulfilled(1))
  }

  @Test("Cancelling a `parent` that was read in a running handler reaches links attached later", .rule("4.2", "6.3"))
  func reachedByParent() throws {
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
    #expect(third.isFulfilled)
    #expect(fourth.isCancelled)
  }

  @Test("A promise that has adopted another has no `parent`", .rule("6.3"))
  func parentOfAdopter() {
    let adopter = Promise.fulfilled(1).then(on: context) { [owner] _ in owner.promise }
    context.runUntilIdle()
    #expect(adopter.isPending)
    #expect(adopter.parent == nil)
    #expect(adopter.root === adopter)
  }

  @Test("Cancelling reaches all branches of a promise that forked unretained", .rule("4.2"), arguments: [false, true])
  func unheldFork(_ isHeldLater: Bool) {
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

  @Test("A cancelled promise stays below its source", .rule("4.0", "4.2"), arguments: [false, true], [false, true])
  func cancelledBelow(_ isRunning: Bool, isSourceHeld: Bool) {
    let top = owner.promise
    let log = Log<Promise<Int>>()
    let last = (isSourceHeld ? top : link(top)).map(on: context) { value in
      if isRunning { log.entries.first?.cancel() }
      return value
    }
    log.append(last)
    owner.fulfill(1)
    if !isSourceHeld { context.step() }
    if isRunning { context.step() } else { last.cancel() }
    if isSourceHeld { context.runUntilIdle() }
    let below = last.recover(on: context) { _ in 2 }
    top.cancel()
    #expect(last.isCancelled)
    #expect(below.isCancelled)
  }

  @Test("A cancel from above reaches adopters that released the source", .rule("4.2", "6.1"), arguments: [false, true])
  func forward(_ isSourceHeld: Bool) throws {
    let inner = Deferred<Int>()
    let promise = owner.promise
    var second: Promise<Int>? = link(promise)
    let adopting = try #require(second).then(on: context) { _ in inner.promise }
    owner.fulfill(1)
    context.runUntilIdle()
    if !isSourceHeld { second = nil }
    promise.cancel()
    #expect(adopting.isCancelled)
    #expect(inner.promise.isCancelled)
    withExtendedLifetime(second) {}
  }

  /// Makes a link that waits for a settled, unretained promise.
  private func waiting(_ attach: (Promise<Int>) -> Promise<Int>) -> Promise<Int> {
    let owner = Deferred<Int>()
    let last = attach(link(owner.promise))
    owner.fulfill(1)
    return last
  }

  /// The state of the promise below the unretained source.
  enum State: CaseIterable { case waiting, settled, adopting }

  @Test(
    "Cancelling an unretained source reached through `parent` reaches a waiting handler, and links behind one that ran",
    .rule("4.2", "6.1", "6.3"), arguments: State.allCases)
  func belowUnheld(_ state: State) throws {
    let inner = Deferred<Int>()
    let last = waiting { state == .adopting ? $0.then(on: context) { _ in inner.promise } : link($0) }
    context.step()
    let parent = try #require(last.parent)
    if state != .waiting { context.step() }
    #expect(last.isPending == (state != .settled))
    let below = link(last)
    parent.cancel()
    #expect(last.isCancelled == (state != .settled))
    #expect(below.isCancelled)
    #expect(inner.promise.isCancelled == (state == .adopting))
  }

  @Test("A source reached through `parent` forgets a handler that has ended", .rule("6.3"))
  func endedUnheld() throws {
    var last: Promise<Int>? = waiting { link($0) }
    context.step()
    let parent = try #require(last?.parent)
    last = nil
    context.runUntilIdle()
    // A new link usually takes the memory of the link that has ended.
    let other = Deferred<Int>()
    let others = (0..<50).map { _ in link(other.promise) }
    parent.cancel()
    #expect(others.allSatisfy { $0.isPending })
  }

  @Test("A walk below a source reached through `parent` does not find a handler that has ended", .rule("4.2", "6.3"))
  func endedBelowUnheld() throws {
    let log = Log<Promise<Int>>()
    let last = waiting {
      $0.map(on: context) { value in
        log.entries.first?.cancel()
        return value
      }
    }
    log.append(last)
    context.step()
    let parent = try #require(last.parent)
    context.runUntilIdle()
    let walk = TourWalk(below: parent)
    #expect(last.isCancelled)
    #expect(walk.walkNextPiece())
    #expect(walk.found.isEmpty)
    parent.cancel()
  }

  @Test("A promise has no parent while its link settles it", .rule("6.3"))
  func parentOfSettling() {
    let derived = Promise.fulfilled(0).map(on: context, weight: 1) { $0 }
    let parents = Log<AnyPromise?>()
    // The context of the observer is called while the promise is settled.
    derived.onProgress(on: CallingContext { parents.append(derived.parent) }) { _ in }
    let before = parents.entries.count
    context.runUntilIdle()
    let meanwhile = parents.entries[before...]
    #expect(!meanwhile.isEmpty)
    #expect(meanwhile.allSatisfy { $0 == nil })
  }
}
