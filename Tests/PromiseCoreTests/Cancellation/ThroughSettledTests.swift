import TestSupport
import Testing

/// A cancellation reaches pending promises below settled promises (rule 4.2). The records that it needs do not grow
/// (rule 6.1).
@Suite("Cancelling through settled promises", .rule("4.2")) struct ThroughSettledTests {
  private let context = ManualContext()
  private let owner = Deferred<Int>()
  private let later = ManualContext()

  @Test("A link attached to a settled promise with observers is below it", arguments: [true, false], [true, false])
  func observersOnly(isLink: Bool, isFired: Bool) {
    let promise = isLink ? owner.promise.map(on: context) { $0 } : owner.promise
    promise.onFulfilled(on: context) { _ in }
    owner.fulfill(1)
    if isLink || isFired { context.step() }
    let below = promise.map(on: context) { $0 }
    owner.promise.cancel()
    #expect(promise.isFulfilled)
    #expect(below.isCancelled)
  }

  @Test("A second cancel reaches links attached below promises that the first settled", arguments: [false, true])
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

  @Test("Cancelling a settled, unretained promise spares the descendants of its siblings", arguments: [false, true])
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
    #expect(one?.isCancelled == true)
    #expect(two.isPending)
    source.promise.cancel()
    #expect(two.isCancelled)
  }

  @Test("Cancelling an unretained promise from below reaches all links with its outcome", arguments: [false, true])
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

  @Test("A source reaches promises below an adopter without the adopted promise", .rule("4.0"), arguments: [0, 1])
  func oneAncestorGoes(gone: Int) {
    var ancestors: [Promise<Int>?] = [.fulfilled(1), .fulfilled(2)]
    let below: Promise<Int>
    do {
      let source = ancestors[0]!
      let inner = ancestors[1]!
      below = source.then(on: context) { _ in inner }.map(on: context) { $0 }
    }
    context.step()
    ancestors[gone] = nil
    #expect(below.isPending)
    ancestors[1 - gone]?.cancel()
    #expect(below.isCancelled == (gone == 1))
  }

  @Test("A promise stays below its source when a promise between them is released", .rule("4.0"), arguments: [0, 1])
  func middleGoes(cancelled: Int) {
    let ancestors = [Promise.fulfilled(1), Promise.fulfilled(2)]
    // No code retains the adopter.
    var middle = Optional(ancestors[0].then(on: context) { [ancestors] _ in ancestors[1] }.map(on: context) { $0 })
    let last = middle?.map(on: context) { $0 }
    context.runUntilIdle()
    middle = nil
    let below = last?.map(on: context) { $0 }
    #expect(last?.isFulfilled == true)
    #expect(below?.isPending == true)
    ancestors[cancelled].cancel()
    #expect(below?.isCancelled == (cancelled == 0))
  }

  @Test(
    "A link below a long line of unretained adopters is below the first promise, not below the adopted promises",
    .rule("4.0"), arguments: [nil, 0, 1, 20, 38, 39])
  func longLineOfUnheld(adopted: Int?) {
    let top = Promise.fulfilled(0)
    let owners = (0..<40).map { _ in Deferred<Int>() }
    var tail = top
    for owner in owners { tail = tail.then(on: context) { [promise = owner.promise] _ in promise } }
    let below = (consume tail).map(on: context) { $0 }
    for owner in owners {
      context.step()
      owner.fulfill(1)
    }
    #expect(below.isPending)
    if let adopted { owners[adopted].promise.cancel() } else { top.cancel() }
    #expect(below.isCancelled == (adopted == nil))
  }
}
