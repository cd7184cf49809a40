import PromiseCombinators
import TestSupport
import Testing

@Suite("Lazy promises that are given up", .leavingNothing)
struct LazyCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  /// Cancels a lazy promise as a client does.
  private func apply(_ form: CancelForm, to lazy: LazyPromise<Int>) {
    lazy.cancel(reason: TestError(7), upstream: form == .up)
  }

  /// Makes a lazy promise whose work is behind a link.
  private func adopting(isStarted: Bool) -> LazyPromise<Int> {
    let lazy = world.run { [work, main = world.main] in
      LazyPromise.adopting(on: main) { work.promise.map(on: main) { $0 } }
    }
    if isStarted { lazy.start() }
    world.runUntilIdle()
    return lazy
  }

  @Test(
    "A lazy promise cancelled before its start never starts, and passes its rejection to derived promises",
    .rule("1.2", "4.3", "4.6"),
    arguments: CancelForm.allCases)
  func unstarted(_ form: CancelForm) {
    let calls = Log<Int>()
    let first = world.run { LazyPromise.run(on: world.main) { calls.append(1, returning: 1) } }
    let links = world.run { [first.map(on: world.main) { $0 }, first.recover(on: world.main) { _ in 3 }] }
    apply(form, to: first)
    let later = world.run { first.map(on: world.main) { $0 } }
    world.run { for lazy in links + [later] { lazy.start() } }
    world.runUntilIdle()
    #expect(calls.entries.isEmpty && first.isCancelled && first.promise.errorNumber == 7)
    for mapped in [links[0], later] { #expect(mapped.isCancelled && mapped.promise.errorNumber == 7) }
    // A link that starts later sees the cancellation as an ordinary rejection.
    #expect(links[1].promise.values == 3)
  }

  @Test(
    "A running lazy promise that is cancelled stops its work behind a link, with the reason",
    .rule("4.4", "4.5", "4.6"),
    arguments: CancelForm.allCases, 0..<4)
  func started(_ form: CancelForm, kind: Int) {
    let (work, main) = (work, world.main)
    let lazy: LazyPromise<Int> = world.run {
      switch kind {
      case 0: LazyPromise.adopting(on: main) { work.promise.map(on: main) { $0 } }
      case 1: LazyPromise(on: main) { $0.follow(work.promise.map(on: main) { $0 }) }
      case 2: LazyPromise.run(on: main) { 1 }.then(on: main) { _ in work.promise.map(on: main) { $0 } }
      default:
        LazyPromise<Int>.run(on: main) { throw TestError(1) }.rescue(on: main) { _ in work.promise.map(on: main) { $0 }
        }
      }
    }
    world.run { _ = lazy.start() }
    world.runUntilIdle()
    #expect(lazy.isPending && work.goesOn)
    apply(form, to: lazy)
    #expect(lazy.isCancelled && work.isStopped && work.reasonNumbers == [7])
  }

  @Test(
    "A lazy promise that is cancelled does not stop work that another consumer wants", .rule("4.4", "4.6"),
    arguments: CancelForm.allCases)
  func shared(_ form: CancelForm) {
    let kept = work.promise.map(on: world.main) { $0 }
    let lazy = adopting(isStarted: true)
    apply(form, to: lazy)
    #expect(lazy.isCancelled && work.goesOn && kept.isPending)
  }

  @Test("Started links of a lazy promise leave it or give it up as links of a promise do", .rule("4.2", "4.4"))
  func links() {
    let first = adopting(isStarted: false)
    let links = world.run { (0..<3).map { _ in first.map(on: world.main) { $0 } } }
    world.run { for link in links { link.start() } }
    world.runUntilIdle()
    links[0].cancel()
    links[1].cancel(upstream: true)
    #expect(links[0].isCancelled && links[1].isCancelled && work.goesOn && first.isPending)
    links[2].cancel(upstream: true)
    #expect(links[2].isCancelled && first.isCancelled && work.isStopped)
  }

  @Test("A plain cancel of the only link of a lazy promise leaves the lazy promise running", .rule("4.2"))
  func onlyLink() {
    let first = adopting(isStarted: false)
    let link = world.run { first.map(on: world.main) { $0 } }
    world.run { _ = link.start() }
    world.runUntilIdle()
    link.cancel()
    #expect(link.isCancelled && first.isPending && work.goesOn)
  }
}
