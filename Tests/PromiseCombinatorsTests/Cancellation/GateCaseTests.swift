import PromiseCombinators
import TestSupport
import Testing

@Suite("Gates whose guests give up", .leavingNothing)
struct GateCaseTests {
  private let world = TestWorld()

  /// Sends guests into a gate, each with work behind a link. Logs the guests that enter.
  private func enter(
    _ door: Door, _ works: [StoppableWork], _ entered: Log<Int>
  ) -> [Promise<Int>] {
    world.run {
      let run = door.make()
      return works.indices.map { number in
        run(world.main) { [main = world.main] in
          entered.append(number, returning: works[number].promise.map(on: main) { $0 })
        }
      }
    }
  }

  @Test(
    "A guest cancelled in the queue never enters, and a guest cancelled inside stops its work and makes way",
    .rule("4.6"),
    arguments: Door.single, CancelForm.allCases)
  func oneAtATime(_ door: Door, _ form: CancelForm) {
    let works = (0..<3).map { _ in StoppableWork() }
    let entered = Log<Int>()
    let results = enter(door, works, entered)
    world.runUntilIdle()
    #expect(entered.entries == [0])
    form.apply(to: results[1])
    world.runUntilIdle()
    #expect(results[1].isCancelled && works[0].goesOn && works[1].goesOn && entered.entries == [0])
    form.apply(to: results[0])
    #expect(works[0].isStopped)
    world.runUntilIdle()
    #expect(entered.entries == [0, 2] && works[1].goesOn && works[2].goesOn && results[2].isPending)
    works[2].deferred.fulfill(2)
    world.runUntilIdle()
    #expect(results[2].values == 2)
  }

  @Test(
    "A cancelled guest keeps its place until its work is done if another consumer wants the work", .rule("4.6"),
    arguments: Door.single)
  func sharedWork(_ door: Door) {
    let works = (0..<2).map { _ in StoppableWork() }
    let entered = Log<Int>()
    let returned = Log<Promise<Int>>()
    let results = world.run {
      let run = door.make()
      return works.indices.map { number in
        run(world.main) { [main = world.main] in
          entered.append(number)
          let promise = works[number].promise.map(on: main) { $0 }
          returned.append(promise)
          return promise
        }
      }
    }
    world.runUntilIdle()
    let kept = returned.entries[0].map(on: world.main) { $0 }
    results[0].cancel()
    world.runUntilIdle()
    #expect(results[0].isCancelled && works[0].goesOn && kept.isPending && entered.entries == [0])
    works[0].deferred.fulfill(1)
    world.runUntilIdle()
    #expect(kept.values == 1 && entered.entries == [0, 1])
    results[1].cancel()
  }

  @Test("A limit lets the next guest in for each guest that ends or is cancelled inside", .rule("4.6"))
  func limit() {
    let works = (0..<5).map { _ in StoppableWork() }
    let entered = Log<Int>()
    let door = Door("limit of 2", Limit(2)) { $0.run(on: $1, $2) }
    let results = enter(door, works, entered)
    world.runUntilIdle()
    #expect(entered.entries == [0, 1])
    results[2].cancel()
    results[1].cancel(upstream: true)
    world.runUntilIdle()
    #expect(entered.entries == [0, 1, 3] && works[1].isStopped && works[0].goesOn && works[2].goesOn)
    works[0].deferred.reject(TestError(1))
    world.runUntilIdle()
    #expect(entered.entries == [0, 1, 3, 4] && results[0].errorNumber == 1)
    for result in results { result.cancel() }
    #expect(works[3].isStopped && works[4].isStopped)
  }

  @Test("A writer that is cancelled inside lets waiting readers in", .rule("4.6"), arguments: CancelForm.allCases)
  func writer(_ form: CancelForm) {
    let gate = ReadersWriterGate()
    let (writing, reading) = (StoppableWork(), StoppableWork())
    let entered = Log<Int>()
    let writer = world.run {
      gate.write(on: world.main) { [main = world.main] in writing.promise.map(on: main) { $0 } }
    }
    let readers = world.run {
      (0..<2).map { number in
        gate.read(on: world.main) { [main = world.main] in
          entered.append(number, returning: reading.promise.map(on: main) { $0 })
        }
      }
    }
    world.runUntilIdle()
    #expect(entered.entries.isEmpty)
    form.apply(to: writer)
    world.runUntilIdle()
    #expect(writing.isStopped && entered.entries == [0, 1] && reading.goesOn)
    form.apply(to: readers[0])
    #expect(reading.goesOn)
    form.apply(to: readers[1])
    #expect(reading.isStopped)
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
          ? flights.asyncRun("key") { try await body().value(cancelsSource: true) }
          : flights.run("key", on: world.main, body)
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
    works[1].deferred.fulfill(5)
    world.runUntilIdle()
    #expect(late.entries[0].values == 5)
  }

  @Test("A flight is stopped when links of all clients give up, but not by a plain cancel of a link", .rule("4.6"))
  func flightLinks() {
    let flights = SingleFlight<String, Int>()
    let work = StoppableWork()
    let clients = world.run {
      (0..<2).map { _ in
        flights.run("key", on: world.main) { [main = world.main] in work.promise.map(on: main) { $0 } }
      }
    }
    world.runUntilIdle()
    clients[0].map(on: world.main) { $0 }.cancel()
    #expect(clients[0].isPending)
    clients[0].map(on: world.main) { $0 }.cancel(upstream: true)
    #expect(clients[0].isCancelled && work.goesOn)
    clients[1].map(on: world.main) { $0 }.cancel(upstream: true)
    #expect(work.isStopped)
  }
}
