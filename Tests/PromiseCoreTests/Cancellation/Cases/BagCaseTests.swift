import PromiseCore
import TestSupport
import Testing

@Suite("Giving up by bags and unobserved owners", .leavingNothing)
struct BagCaseTests {
  private final class Screen: CancelBagOwner, Sendable {
    let cancelBag = CancelBag()
  }

  private let context = ManualContext()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("Cancelling a bag with all links of a promise stops the work", .rule("4.6"), arguments: 1...3)
  func allLinks(count: Int) {
    let bag = CancelBag()
    let links = (0..<count).map { _ in link(link(work.promise)).bound(to: bag) }
    bag.cancelAll()
    #expect(areCancelled(links) && work.isStopped)
  }

  @Test("Releasing an object stops the work behind the promises bound to it", .rule("4.6"))
  func releasedOwner() {
    var screen: Screen? = Screen()
    let links = screen.map { screen in (0..<2).map { _ in link(work.promise).bound(to: screen) } } ?? []
    screen = nil
    #expect(areCancelled(links) && work.isStopped)
  }

  @Test("Cancelling a bag with one of two links of a promise leaves the work to the other link", .rule("4.6"))
  func oneLink() {
    let bag = CancelBag()
    let (bound, other) = (link(work.promise).bound(to: bag), link(work.promise))
    bag.cancelAll()
    #expect(areCancelled([bound]) && other.isPending && work.goesOn)
  }

  @Test("Cancelling a bag with a shared promise itself cancels the promise for all consumers", .rule("4.2", "4.6"))
  func promiseItself() {
    let bag = CancelBag()
    let executor = ManualExecutor()
    work.promise.bound(to: bag)
    let waiting = Waiting(for: work.promise, on: executor)
    executor.runUntilIdle()
    let other = link(work.promise)
    bag.cancelAll(reason: TestError(7))
    executor.runUntilIdle()
    #expect(work.isStopped && work.reasonNumbers == [7])
    #expect(waiting.seen == [.failed(7)] && other.isCancelled && other.seen == .failed(7))
  }

  @Test(
    "A bag gives up the work, behind links, that its promises have adopted", .rule("4.6"), arguments: Adopting.allCases)
  func adopted(_ way: Adopting) {
    let bag = CancelBag()
    let adopter = way.adopt(link(link(work.promise)), on: context)
    adopter.promise.bound(to: bag)
    bag.cancelAll()
    #expect(areCancelled([adopter.promise]) && work.isStopped)
  }

  @Test("A bag settles all its promises before it runs hooks", .rule("4.5", "4.6"))
  func hooksLast() {
    let bag = CancelBag()
    let works = (0..<3).map { _ in StoppableWork() }
    let seen = Log<Int>()
    for work in works {
      link(work.promise).bound(to: bag)
      work.deferred.onCancel { _ in seen.append(works.count { $0.promise.isPending }) }
    }
    bag.cancelAll()
    #expect(works.allSatisfy { $0.isStopped } && seen.entries == [0, 0, 0])
  }

  @Test(
    "An owner that has lost its last client runs its hooks and gives up the promise that it follows",
    .rule("4.6", "6.2"), arguments: [0, 1, 2])
  func unobserved(length: Int) {
    let hooks = Log<Failure>()
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    deferred.onCancel(on: .atOnce) { hooks.append(Failure($0)) }
    var promise: Promise<Int>? = deferred.promise
    deferred.follow((0..<length).reduce(work.promise) { promise, _ in link(promise) })
    #expect(promise?.isPending == true && work.goesOn)
    promise = nil
    #expect(hooks.entries == [.cancellation] && work.isStopped)
  }

  @Test("An owner that has lost its last client leaves followed work alone if another consumer wants it", .rule("4.6"))
  func unobservedShared() {
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    let other = link(work.promise)
    var promise: Promise<Int>? = deferred.promise
    deferred.follow(link(work.promise))
    #expect(promise?.isPending == true)
    promise = nil
    #expect(deferred.promise.isCancelled && work.goesOn && other.isPending)
  }

  @Test("Giving up the last chain of an unobserved owner stops the work that the owner follows", .rule("4.4", "4.6"))
  func unobservedChain() {
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    deferred.follow(link(work.promise))
    let chain = link(deferred.promise)
    #expect(work.goesOn)
    chain.cancel(upstream: true)
    #expect(work.isStopped && deferred.promise.isCancelled)
  }
}
