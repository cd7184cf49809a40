import PromiseCore
import TestSupport
import Testing

/// A cancellation reaches pending promises below settled promises (rule 4.2). The records that it needs do not grow
/// (rule 6.1).
@Suite("Cancelling through settled promises") struct ThroughSettledTests {
  private let context = ManualContext()
  private let owner = Deferred<Int>()
  private let later = ManualContext()

  @Test(
    "A link attached to a settled promise is below it, even if the promise had only observers before",
    .rule("4.2"), arguments: [true, false], [true, false])
  func observersOnly(isLink: Bool, isFired: Bool) {
    let promise = isLink ? owner.promise.map(on: context) { $0 } : owner.promise
    promise.onFulfilled(on: context) { _ in }
    owner.fulfill(1)
    if isLink || isFired { context.step() }
    let below = promise.map(on: context) { $0 }
    owner.promise.cancel()
    #expect(promise.isFulfilled && below.isCancelled)
  }

  @Test(
    "Cancelling reaches links below a promise that was settled by a cancellation, a dropped job or a ring",
    .rule("4.2"), arguments: 0..<3)
  func settledOtherwise(_ way: Int) {
    let slot = Log<Promise<Int>>()
    let child = owner.promise.rescue(on: context) { _ in slot.entries[0] }
    slot.append(child)
    if way == 0 { owner.promise.cancel() } else { owner.reject(TestError(1)) }
    if way == 1 { context.dropAll() } else { context.step() }
    let below = child.recover(on: later) { _ in 0 }
    #expect(child.isRejected && below.isPending)
    owner.promise.cancel()
    #expect(below.isCancelled)
    later.runUntilIdle()
  }

  @Test(
    "A second cancel reaches links attached below promises that the first cancel settled", .rule("4.2"),
    arguments: [false, true])
  func secondCancel(isMiddleHeld: Bool) {
    let child = owner.promise.map(on: context) { $0 }
    let middle = isMiddleHeld ? child : nil
    let last = (consume child).map(on: context) { $0 }
    owner.promise.cancel()
    #expect(last.isCancelled)
    let below = last.recover(on: context) { _ in 0 }
    let beside = middle?.recover(on: context) { _ in 0 }
    owner.promise.cancel()
    #expect(below.isCancelled && beside?.isCancelled ?? true)
  }

  @Test("A second cancel does not reach links of an adopter", .rule("4.0", "4.2"), arguments: Adopting.allCases)
  func secondCancelOfAdopted(way: Adopting) {
    let adopter = way.adopt(owner.promise, on: context)
    owner.promise.cancel()
    let below = adopter.promise.recover(on: context) { _ in 0 }
    owner.promise.cancel()
    #expect(below.isPending)
    context.runUntilIdle()
    #expect(below.isFulfilled)
  }

  @Test("A second cancel of a cancelled promise reaches only the links below that promise", .rule("4.2"))
  func secondCancelSpares() {
    let children = (0..<2).map { _ in owner.promise.map(on: context) { $0 } }
    owner.promise.cancel()
    let below = children.map { $0.recover(on: context) { _ in 0 } }
    let direct = owner.promise.recover(on: context) { _ in 0 }
    children[0].cancel()
    #expect(below[0].isCancelled && below[1].isPending && direct.isPending)
    owner.promise.cancel()
    #expect(below[1].isCancelled && direct.isCancelled)
  }

  @Test("A promise that was cancelled while its source was pending has left the source", .rule("4.0", "4.2"))
  func hasLeft() {
    owner.promise.onFulfilled(on: context) { _ in }
    let child = owner.promise.map(on: context) { $0 }
    child.cancel()
    let below = child.recover(on: context) { _ in 0 }
    let spared = child.recover(on: context) { _ in 0 }
    // If the child had not left its source, this call would put a promise below itself.
    owner.follow(below)
    context.runUntilIdle()
    #expect(owner.promise.isFulfilled)
    let further = owner.promise.map(on: context) { $0 }
    let other = child.recover(on: context) { _ in 0 }
    owner.promise.cancel()
    #expect(further.isCancelled && other.isPending && spared.isFulfilled)
    child.cancel()
    #expect(other.isCancelled)
  }

  @Test(
    "Cancelling a settled, otherwise unretained promise spares the descendants of its siblings", .rule("4.2"),
    arguments: [false, true])
  func sparesSiblings(isReachedFromBelow: Bool) {
    let source = Deferred<Int>()
    func branch(from middle: Promise<Int>) -> Promise<Int> { middle.map(on: later) { $0 } }
    var held = Optional(source.promise.map(on: context) { $0 })
    weak let middle = held
    let one = held.map(branch)
    held = nil
    let two = branch(from: source.promise.map(on: context) { $0 })
    source.fulfill(1)
    context.runUntilIdle()
    if isReachedFromBelow { one?.parent?.cancel() } else { middle?.cancel() }
    #expect(one?.isCancelled == true && two.isPending)
    source.promise.cancel()
    #expect(two.isCancelled)
  }

  @Test(
    "Cancelling an unretained promise reached from below reaches all links that received its outcome", .rule("4.2"),
    arguments: [false, true])
  func reachesBesides(passes: Bool) {
    func build() -> [Promise<Int>] {
      let unheld = Promise.fulfilled(1).map(on: context) { $0 }
      let one = unheld.map(on: later) { $0 }
      let between = passes ? unheld.catch(on: context) { _ in } : unheld.map(on: context) { $0 }
      return [one, between.map(on: later) { $0 }]
    }
    let both = build()
    context.runUntilIdle()
    #expect(both.allSatisfy { $0.isPending })
    both[0].parent?.cancel()
    #expect(both.allSatisfy { $0.isCancelled })
  }

  @Test(
    "A source still reaches promises below an adopter after the adopted promise was released", .rule("4.0", "4.2"),
    arguments: [0, 1])
  func oneAncestorGoes(gone: Int) {
    var ancestors: [Promise<Int>?] = [.fulfilled(1), .fulfilled(2)]
    let below: Promise<Int>
    do {
      let (source, inner) = (ancestors[0]!, ancestors[1]!)
      below = source.then(on: context) { _ in inner }.map(on: context) { $0 }
    }
    context.step()
    ancestors[gone] = nil
    #expect(below.isPending)
    ancestors[1 - gone]?.cancel()
    #expect(below.isCancelled == (gone == 1))
  }

  @Test(
    "A promise stays below its settled source after a settled promise between them was released", .rule("4.0", "4.2"),
    arguments: [0, 1])
  func middleGoes(cancelled: Int) {
    let ancestors = [Promise.fulfilled(1), Promise.fulfilled(2)]
    // No code retains the adopter.
    var middle = Optional(ancestors[0].then(on: context) { [ancestors] _ in ancestors[1] }.map(on: context) { $0 })
    let last = middle?.map(on: context) { $0 }
    context.runUntilIdle()
    middle = nil
    let below = last?.map(on: context) { $0 }
    #expect(last?.isFulfilled == true && below?.isPending == true)
    ancestors[cancelled].cancel()
    #expect(below?.isCancelled == (cancelled == 0))
  }

  @Test(
    "A settled promise without pending links stays below its source for links that are attached later", .rule("4.2"),
    arguments: [0, 1])
  func oneOfThreeAncestorsGoes(cancelled: Int) throws {
    let second = Deferred<Int>()
    var third: Deferred<Int>? = Deferred<Int>()
    let ancestors = [Promise.fulfilled(1), second.promise]
    // Makes a promise below `ancestors[0]`, behind two adoptions. No code retains the promises between, and each of
    // them adopts a promise that is still pending.
    func build(_ third: Promise<Int>) -> Promise<Int> {
      let adopter = ancestors[0].then(on: context) { [ancestors] _ in ancestors[1] }
      return adopter.then(on: context) { _ in third }.map(on: later) { $0 }
    }
    var first = (third?.promise).map(build)
    context.runUntilIdle()
    second.fulfill(2)
    context.runUntilIdle()
    third?.fulfill(3)
    third = nil
    let middle = try #require(first?.parent as? Promise<Int>)
    first?.cancel()
    later.runUntilIdle()
    first = nil
    let below = middle.map(on: later) { $0 }
    ancestors[cancelled].cancel()
    #expect(middle.isFulfilled && below.isCancelled == (cancelled == 0))
  }

  @Test("Cancellation searches paths that part and meet again only once", .rule("4.2"))
  func diamonds() {
    let top = Promise.fulfilled(1)
    var last = top
    for _ in 0..<64 {
      let inner = last.map(on: context) { $0 }
      context.step()
      let outer = last.then(on: context) { _ in inner }
      context.step()
      last = outer
    }
    let below = last.map(on: context) { $0 }
    top.cancel()
    #expect(below.isCancelled)
  }
}
