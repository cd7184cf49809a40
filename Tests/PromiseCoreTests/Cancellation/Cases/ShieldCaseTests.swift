import PromiseCore
import TestSupport
import Testing

@Suite("Shields and shared promises", .leavingNothing)
struct ShieldCaseTests {
  private let context = ManualContext()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("The last consumer to give up cancels a shield, and the source goes on", .rule("4.10"), arguments: 0..<3)
  func givenUp(length: Int) {
    let shield = work.promise.shielded()
    (0..<length).reduce(shield) { promise, _ in link(promise) }.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
    // The shield has left its source.
    link(work.promise).cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test("A client that gives up a shared shield cancels it for the next client", .rule("4.10"))
  func sharedShield() {
    let shield = work.promise.shielded()
    link(shield).cancel(upstream: true)
    let late = link(shield)
    #expect(areCancelled([late]) && work.goesOn)
  }

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

  @Test("A shield with two clients is cancelled when the second client gives up", .rule("4.4", "4.10"))
  func twoClients() {
    let shield = work.promise.shielded()
    let (first, second) = (link(shield), link(shield))
    first.cancel(upstream: true)
    #expect(shield.isPending && second.isPending)
    second.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
  }

  @Test(
    "A pending shield keeps its source going, and cancelling the shield does not stop the source", .rule("4.0", "4.10"))
  func consumer() {
    let shield = work.promise.shielded()
    link(work.promise).cancel(upstream: true)
    #expect(shield.isPending && work.goesOn)
    shield.cancel(upstream: true)
    #expect(areCancelled([shield]) && work.goesOn)
  }

  @Test(
    "Cancelling the source cancels the shield and the link below it", .rule("4.2", "4.10"),
    arguments: CancelForm.allCases)
  func fromAbove(_ form: CancelForm) {
    let shield = work.promise.shielded()
    let below = shield.recover(on: context) { _ in 0 }
    form.apply(to: work.promise)
    #expect(areCancelled([shield, below]) && work.isStopped)
    context.runUntilIdle()
    #expect(areCancelled([below]))
  }

  @Test("Giving up the shield of a link leaves the link and its source pending", .rule("4.10"))
  func shieldOfLink() {
    let source = link(work.promise)
    let shield = source.shielded()
    shield.cancel(upstream: true)
    #expect(source.isPending && work.goesOn)
    source.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "Cancelling an adopter of a shield cancels the shield and leaves the source pending", .rule("4.4", "4.10"),
    arguments: Adopting.allCases,
    CancelForm.allCases)
  func adopted(_ way: Adopting, _ form: CancelForm) {
    let shield = work.promise.shielded()
    let adopter = way.adopt(link(shield), on: context)
    form.apply(to: adopter.promise)
    #expect(areCancelled([adopter.promise, shield]) && work.goesOn)
  }

  @Test("A shield has no parent, even while a link below it waits", .rule("4.10", "6.3"))
  func parent() {
    let shield = link(work.promise).shielded()
    let below = link(shield)
    #expect(shield.parent == nil && below.root === shield)
    below.root.cancel(upstream: true)
    #expect(areCancelled([shield, below]) && work.goesOn)
  }

  @Test("A promise that is kept for later clients stays cancelled once the last client has given it up", .rule("4.10"))
  func keptPromise() {
    let kept = link(work.promise)
    link(kept).cancel(upstream: true)
    #expect(areCancelled([kept, link(kept)]) && work.isStopped)
  }
}
