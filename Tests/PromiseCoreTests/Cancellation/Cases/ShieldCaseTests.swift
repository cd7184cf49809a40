import PromiseCore
import TestSupport
import Testing

@Suite("Shields and shared promises", .leavingNothing)
struct ShieldCaseTests {
  private let context = ManualContext()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  // Case 30.
  @Test("A shield is cancelled by its last consumer, and its source goes on", .rule("4.10"), arguments: 0..<3)
  func givenUp(length: Int) {
    let shield = work.promise.shielded()
    (0..<length).reduce(shield) { promise, _ in link(promise) }.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
    // The shield has left its source.
    link(work.promise).cancel(upstream: true)
    #expect(work.isStopped)
  }

  // Case 31.
  @Test("A client that gives up a shared shield cancels it for the next client", .rule("4.10"))
  func sharedShield() {
    let shield = work.promise.shielded()
    link(shield).cancel(upstream: true)
    let late = link(shield)
    #expect(areCancelled([late]) && work.goesOn)
  }

  // Case 31: a shield for each client.
  @Test("A client that gives up its own shield leaves the shields of other clients alone", .rule("4.10"))
  func ownShields() {
    let shields = [work.promise.shielded(), work.promise.shielded()]
    link(shields[0]).cancel(upstream: true)
    let other = link(shields[1])
    let late = link(work.promise.shielded())
    #expect(areCancelled([shields[0]]) && work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    #expect(other.seen == .fulfilled(1) && late.seen == .fulfilled(1))
  }

  // Case 31: both clients at the same time.
  @Test("A shield with two clients is cancelled by the second that gives up", .rule("4.4", "4.10"))
  func twoClients() {
    let shield = work.promise.shielded()
    let (first, second) = (link(shield), link(shield))
    first.cancel(upstream: true)
    #expect(shield.isPending && second.isPending)
    second.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
  }

  // Case 32.
  @Test("A pending shield is a consumer of its source, and stops being one without stopping it", .rule("4.0", "4.10"))
  func consumer() {
    let shield = work.promise.shielded()
    link(work.promise).cancel(upstream: true)
    #expect(shield.isPending && work.goesOn)
    shield.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
  }

  // Case 32: from above.
  @Test("A cancel of the source reaches the shield", .rule("4.2", "4.10"), arguments: CancelForm.allCases)
  func fromAbove(_ form: CancelForm) {
    let shield = work.promise.shielded()
    let below = shield.recover(on: context) { _ in 0 }
    form.apply(to: work.promise)
    #expect(areCancelled([shield, below]) && work.isStopped)
    context.runUntilIdle()
    #expect(areCancelled([below]))
  }

  @Test("A shield of a link protects what the link is made from", .rule("4.10"))
  func shieldOfLink() {
    let source = link(work.promise)
    let shield = source.shielded()
    shield.cancel(upstream: true)
    #expect(source.isPending && work.goesOn)
    source.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "An adopted shield is given up, and protects its source", .rule("4.4", "4.10"), arguments: Adopting.allCases,
    CancelForm.allCases)
  func adopted(_ way: Adopting, _ form: CancelForm) {
    let shield = work.promise.shielded()
    let adopter = way.adopt(link(shield), on: context)
    form.apply(to: adopter.promise)
    #expect(areCancelled([adopter.promise, shield]) && work.goesOn)
  }

  @Test("A shield shows no parent, also while what is below it waits", .rule("4.10", "6.3"))
  func parent() {
    let shield = link(work.promise).shielded()
    let below = link(shield)
    #expect(shield.parent == nil && below.root === shield)
    below.root.cancel(upstream: true)
    #expect(areCancelled([shield, below]) && work.goesOn)
  }

  @Test("A promise that is kept for later clients stays cancelled once the last client gave it up", .rule("4.10"))
  func keptPromise() {
    let kept = link(work.promise)
    link(kept).cancel(upstream: true)
    #expect(areCancelled([kept, link(kept)]) && work.isStopped)
  }
}
