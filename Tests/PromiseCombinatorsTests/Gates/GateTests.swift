import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Gates")
struct GateTests {
  let world = TestWorld()

  @Test("A serial gate admits guests one at a time, and keeps a place until the promise is settled")
  func serial() {
    let gate = SerialGate()
    let log = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let results = world.run {
      (0..<3).map { number in
        gate.run {
          log.append(number)
          return owners[number].promise
        }
      }
    }
    world.runUntilIdle()
    #expect(log.entries == [0])
    owners[0].reject(TestError(1))
    world.runUntilIdle()
    #expect(log.entries == [0, 1] && results[0].errorNumber == 1)
    results[1].cancel()
    #expect(owners[1].promise.isCancelled)
    world.runUntilIdle()
    #expect(log.entries == [0, 1, 2])
    owners[2].fulfill(2)
    #expect(results[2].values == 2)
  }

  @Test("A closure that throws frees its place")
  func throwing() {
    let gate = SerialGate()
    let (failed, next) = world.run {
      (gate.run { () -> Promise<Int> in throw TestError(1) }, gate.run { Promise.fulfilled(2) })
    }
    world.runUntilIdle()
    #expect(failed.isRejected && next.values == 2)
  }

  @Test("Readers do not overtake a waiting writer, and enter when the writer is cancelled")
  func writers() {
    let gate = ReadersWriterGate()
    let log = Log<String>()
    let owners = (0..<5).map { _ in Deferred<Int>() }
    let results = world.run {
      (0..<5).map { number in
        let body: @Sendable () -> Promise<Int> = {
          log.append("\(number)")
          return owners[number].promise
        }
        return number == 2 ? gate.write(body) : gate.read(body)
      }
    }
    world.runUntilIdle()
    #expect(log.entries == ["0", "1"])
    results[2].cancel()
    world.runUntilIdle()
    #expect(log.entries == ["0", "1", "3", "4"])
  }

  @Test("A rate limit starts a limited number of closures per period, and has a timer only while a guest waits")
  func rate() {
    let log = Log<String>()
    let limit = world.run { RateLimit(2, per: .seconds(10)) }
    let results = world.run {
      (0..<5).map { number in
        limit.run { [clock = world.clock] in
          log.append("\(number) at \(clock.elapsed)")
          return .fulfilled(number)
        }
      }
    }
    world.advance(by: .seconds(12))
    #expect(log.entries == ["0 at 0.0 seconds", "1 at 0.0 seconds", "2 at 10.0 seconds", "3 at 10.0 seconds"])
    results[4].cancel()
    #expect(throws: Never.self) { try world.verify(.timers) }
    world.advance(by: .seconds(20))
    #expect(log.entries.count == 4)
  }

  @Test("A rate limit counts from the start of a closure, which may be long after its turn")
  func rateOnBusyContext() {
    let context = ManualContext()
    let clock = world.clock
    let log = Log<Duration>()
    let limit = RateLimit(2, per: .seconds(10), timers: clock)
    let results = (0..<6).map { number in
      limit.run(on: context) {
        log.append(clock.elapsed)
        return .fulfilled(number)
      }
    }
    #expect(context.count == 2)
    world.advance(by: .seconds(9))
    context.step()
    world.advance(by: .seconds(4))
    #expect(context.count == 1)
    context.step()
    // A guest that gives up after its turn has come does not count, and makes room at once.
    world.advance(by: .seconds(10))
    #expect(context.count == 2)
    results[2].cancel()
    #expect(context.count == 3)
    context.runUntilIdle()
    world.advance(by: .seconds(9))
    context.runUntilIdle()
    #expect(log.entries == [.seconds(9), .seconds(13), .seconds(23), .seconds(23)])
    world.advance(by: .seconds(1))
    context.runUntilIdle()
    #expect(log.entries.last == .seconds(33) && log.entries.count == 5)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test("A rate limit accepts the longest period, and a period of zero means no limit")
  func rateAtTheEdges() {
    let clock = world.clock
    let (long, none) = (
      RateLimit(1, per: Duration(attoseconds: .max), timers: clock), RateLimit(1, per: .zero, timers: clock)
    )
    world.advance(by: .seconds(1))
    let results = world.run {
      [long, none].map { limit in (0..<2).map { number in limit.run { .fulfilled(number) } } }
    }
    world.runUntilIdle()
    world.advance(by: .seconds(1))
    #expect(results.map { $0.map(\.isFulfilled) } == [[true, false], [true, true]])
    results[0][1].cancel()
  }

  @Test("A flight runs once for all concurrent clients, and ends when the last client gives up")
  func singleFlight() {
    let flights = SingleFlight<String, Int>()
    let log = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let ask: @Sendable () -> Promise<Int> = {
      flights.run("key") {
        log.append(log.entries.count)
        return owners[log.entries.count - 1].promise
      }
    }
    let first = world.run { [ask(), ask()] }
    world.runUntilIdle()
    #expect(log.entries == [0])
    owners[0].fulfill(7)
    #expect(first.map(\.values) == [7, 7])
    let second = world.run { [ask(), ask()] }
    world.runUntilIdle()
    second[0].cancel()
    #expect(owners[1].promise.isPending && second[1].isPending)
    second[1].cancel()
    #expect(owners[1].promise.isCancelled)
    let third = world.run { ask() }
    world.runUntilIdle()
    owners[2].reject(TestError(3))
    #expect(third.errorNumber == 3 && log.entries == [0, 1, 2])
  }

  @Test(
    "A client that cancels its root or gives up its result affects no other client of the flight", .rule("4.10"),
    arguments: [false, true])
  func singleFlightApart(_ givesUp: Bool) {
    let flights = SingleFlight<String, Int>()
    let owner = Deferred<Int>()
    let results = world.run { (0..<2).map { _ in flights.run("key") { owner.promise } } }
    world.runUntilIdle()
    let label = results[0].map(on: world.main) { $0 }
    #expect(label.root === results[0] && results[0].parent == nil)
    if givesUp { label.cancel(upstream: true) } else { label.root.cancel() }
    #expect(results[0].isCancelled && results[1].isPending && owner.promise.isPending)
    results[1].cancel(upstream: true)
    #expect(owner.promise.isCancelled)
  }
}
