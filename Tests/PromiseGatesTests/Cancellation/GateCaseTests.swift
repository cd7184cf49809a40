import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Gates whose guests give up", .leavingNothing) struct GateCaseTests {
  private let world = TestWorld()

  /// Sends guests into a gate, each with work behind a link. Logs the guests that enter, with the links.
  private func enter(
    _ kind: GateKind, _ works: [StoppableWork], _ entered: Log<(number: Int, link: Promise<Int>)>,
    _ census: Tracked.Census
  ) -> [Promise<Int>] {
    world.run {
      let run = kind.make()
      return works.indices.map { number in
        run(world.main) { [main = world.main, tracked = Tracked(census)] in
          let link = works[number].promise.map(on: main) { $0 }
          entered.append((number, link))
          return tracked.carrying(link)
        }
      }
    }
  }

  @Test(
    "A guest cancelled in the queue releases its closure, and a guest cancelled inside stops its work and makes way",
    .rule("4.6"), arguments: GateKind.single, CancelForm.allCases)
  func oneAtATime(_ kind: GateKind, _ form: CancelForm) {
    let works = (0..<3).map { _ in StoppableWork() }
    let census = Tracked.Census()
    let entered = Log<(number: Int, link: Promise<Int>)>()
    let results = enter(kind, works, entered, census)
    world.runUntilIdle()
    #expect(entered.entries.map(\.number) == [0])
    #expect(census.living == 2)
    results[1].cancel(reason: TestError(9), upstream: form == .up)
    #expect(results[1].isCancelled && results[1].failure == .test(9) && census.living == 1)
    world.runUntilIdle()
    #expect(works[0].goesOn && works[1].goesOn && entered.entries.map(\.number) == [0])
    form.apply(to: results[0])
    #expect(works[0].isStopped)
    world.runUntilIdle()
    #expect(entered.entries.map(\.number) == [0, 2] && works[1].goesOn && works[2].goesOn && results[2].isPending)
    world.runUntilIdle(after: works[2].deferred.fulfill(2))
    #expect(results[2].state.value == 2)
    #expect(census.living == 0)
  }

  @Test(
    "A cancelled guest keeps its place until its work is done if another consumer wants the work", .rule("4.6"),
    arguments: GateKind.single)
  func sharedWork(_ kind: GateKind) {
    let works = (0..<2).map { _ in StoppableWork() }
    let entered = Log<(number: Int, link: Promise<Int>)>()
    let results = enter(kind, works, entered, Tracked.Census())
    world.runUntilIdle()
    let kept = entered.entries[0].link.map(on: world.main) { $0 }
    world.runUntilIdle(after: results[0].cancel())
    #expect(results[0].isCancelled && works[0].goesOn && kept.isPending && entered.entries.count == 1)
    world.runUntilIdle(after: works[0].deferred.fulfill(1))
    #expect(kept.state.value == 1)
    #expect(entered.entries.map(\.number) == [0, 1])
    results[1].cancel()
  }

  @Test(
    "A flight goes on until its last client gives up, and a client that asks then starts a new flight", .rule("4.6"),
    arguments: CancelForm.allCases, [false, true])
  func flight(_ form: CancelForm, isAsync: Bool) {
    let flights = SingleFlight<String, Int>()
    let works = (0..<2).map { _ in StoppableWork() }
    let begun = Log<Int>()
    let body: @Sendable () -> Promise<Int> = { [main = world.main] in
      begun.append(1, returning: works[begun.entries.count - 1].promise.map(on: main) { $0 })
    }
    let ask: @Sendable () -> Promise<Int> = { [world] in
      world.run {
        isAsync
          ? flights.asyncRun(for: "key") { try await body().value(cancelsSource: true) }
          : flights.run(for: "key", on: world.main, body)
      }
    }
    let late = Log<Promise<Int>>()
    if !isAsync { works[0].deferred.onCancel { _ in late.append(ask()) } }
    let clients = [ask(), ask()]
    world.runUntilIdle()
    #expect(begun.entries.count == 1)
    form.apply(to: clients[0])
    #expect(clients[0].isCancelled && clients[1].isPending && works[0].goesOn)
    form.apply(to: clients[1])
    // The work of an async closure stops in a later step, when its Task is cancelled.
    if isAsync { late.append(ask()) } else { #expect(works[0].isStopped) }
    // The hook or the test has made a call that is now the third client.
    world.runUntilIdle()
    #expect(works[0].isStopped)
    #expect(begun.entries.count == 2 && late.entries.count == 1 && late.entries[0].isPending && works[1].goesOn)
    world.runUntilIdle(after: works[1].deferred.fulfill(5))
    #expect(late.entries[0].state.value == 5)
  }

  @Test(
    "A plain cancel leaves the guests behind `all` running, unless a handler has returned the `all`",
    .rule("4.4", "4.8"), arguments: [false, true])
  func guestsOfAll(isReturned: Bool) {
    let owners = world.run { (0..<4).map { _ in Deferred<Int>() } }
    let begun = Log<Int>()
    let pages = world.start { () -> Promise<[Int]> in
      let limit = ConcurrencyLimit(2)
      @Sendable func all() -> Promise<[Int]> {
        Promise.all(
          owners.indices.map { number in limit.run { begun.append(number, returning: owners[number].promise) } })
      }
      return isReturned ? Promise.fulfilled(()).then { all() } : all()
    }
    #expect(begun.entries.sorted() == [0, 1])
    world.runUntilIdle(after: pages.cancel())
    #expect(owners.map(\.promise.isCancelled) == [isReturned, isReturned, false, false])
    for owner in owners { owner.fulfill(1) }
    world.runUntilIdle()
    #expect(begun.entries.sorted() == (isReturned ? [0, 1] : [0, 1, 2, 3]))
  }
}
