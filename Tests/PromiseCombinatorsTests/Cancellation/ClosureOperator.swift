import PromiseCombinators
import TestSupport
import Testing

/// An operator whose closure makes a promise, which belongs to the operator's result.
struct ClosureOperator: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable () throws -> Promise<Int>

  let testDescription: String
  /// Calls the operator in a world, and returns its result.
  let start: @Sendable (TestWorld, @escaping Body) -> AnyPromise

  init(_ name: String, _ start: @escaping @Sendable (TestWorld, @escaping Body) -> AnyPromise) {
    testDescription = name
    self.start = { world, body in world.run { start(world, body) } }
  }

  static let links = [
    ClosureOperator("then") { world, body in Promise.fulfilled(1).then(on: world.main) { _ in try body() } },
    ClosureOperator("then, both handlers") { world, body in
      Promise.fulfilled(1).then(on: world.main, fulfilled: { _ in try body() }, rejected: { _ in try body() })
    },
    ClosureOperator("rescue") { world, body in
      Promise<Int>.rejected(TestError(1)).rescue(on: world.main) { _ in try body() }
    },
    ClosureOperator("then within then") { world, body in
      Promise.fulfilled(1).then(on: world.main) { _ in
        Promise.fulfilled(1).then(on: world.main) { _ in try body() }
      }
    },
    ClosureOperator("join") { world, body in
      Promise.fulfilled(1).map(on: world.main) { _ in try body() }.join()
    },
  ]

  static let sequences = [
    ClosureOperator("retry, first attempt") { world, body in Promise.retry(attempts: 4, on: world.main) { try body() }
    },
    ClosureOperator("retry with numbers") { world, body in
      Promise.retry(attempts: 4, within: .seconds(9), on: world.main) { _ in try body() }
    },
    ClosureOperator("retry on main") { _, body in Promise.retry(attempts: 4, on: .main) { try body() } },
    ClosureOperator("retry, later attempt") { world, body in
      let attempts = Locked(0)
      return Promise.retry(attempts: 6, backoff: .constant(.zero), on: world.main) {
        if attempts.increment() < 3 { throw TestError(1) }
        return try body()
      }
    },
    ClosureOperator("using") { world, body in
      Promise.using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(0) }, on: world.main) { _ in try body() }
    },
    ClosureOperator("using on main") { _, body in
      Promise.using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(0) }, on: .main) { _ in try body() }
    },
    ClosureOperator("forEach") { world, body in Promise.forEach(0..<3, on: world.main) { _ in try body() } },
    ClosureOperator("forEach, later element") { world, body in
      Promise.forEach(0..<3, on: world.main) { number in number < 2 ? .fulfilled(0) : try body() }
    },
    ClosureOperator("forEach on main") { _, body in Promise.forEach(0..<3, on: .main) { _ in try body() } },
    ClosureOperator("repeat") { world, body in Promise.repeat(on: world.main) { () -> Promise<Int>? in try body() } },
    ClosureOperator("repeat on main") { _, body in Promise.repeat(on: .main) { () -> Promise<Int>? in try body() } },
    ClosureOperator("reduce") { world, body in
      Promise.fulfilled(0).reduce(0..<3, on: world.main) { _, _ in try body() }
    },
    ClosureOperator("reduce on main") { _, body in Promise.fulfilled(0).reduce(0..<3, on: .main) { _, _ in try body() }
    },
    ClosureOperator("chain") { world, body in
      Promise.chain(0, [{ .fulfilled($0) }, { _ in try body() }, { .fulfilled($0) }], on: world.main)
    },
    ClosureOperator("chain on main") { _, body in Promise.chain(0, [{ _ in try body() }], on: .main) },
    ClosureOperator("traverse, one at a time") { world, body in
      Promise.traverse(0..<3, concurrency: 1, on: world.main) { _ in try body() }
    },
    ClosureOperator("traverse, three at a time") { world, body in
      Promise.traverse(0..<3, concurrency: 3, on: world.main) { number in number == 1 ? try body() : .fulfilled(0) }
    },
    ClosureOperator("traverse on main") { _, body in
      Promise.traverse(0..<3, concurrency: 1, on: .main) { _ in try body() }
    },
  ]

  static let gates = [
    ClosureOperator("serial gate") { world, body in SerialGate().run(on: world.main) { try body() } },
    ClosureOperator("serial gate on main") { _, body in SerialGate().run(on: .main) { try body() } },
    ClosureOperator("limit") { world, body in Limit(1).run(on: world.main) { try body() } },
    ClosureOperator("limit of several") { world, body in Limit(7).run(on: world.main) { try body() } },
    ClosureOperator("limit with a priority and a limit of the waiting time") { world, body in
      Limit(1, waitingAtMost: .seconds(1)).run(on: world.main, queuePriority: 1) { try body() }
    },
    ClosureOperator("cache") { world, body in ValueCache<Int, Int>().value(for: 1, on: world.main) { try body() } },
    ClosureOperator("cache with costs") { world, body in
      ValueCache<Int, Int>(cost: { $0 }).value(for: 1, on: world.main) { try body() }
    },
    ClosureOperator("cache on main") { _, body in ValueCache<Int, Int>().value(for: 1, on: .main) { try body() } },
    ClosureOperator("limit on main") { _, body in Limit(1).run(on: .main) { try body() } },
    ClosureOperator("rate limit") { world, body in RateLimit(1, per: .seconds(1)).run(on: world.main) { try body() } },
    ClosureOperator("rate limit on main") { _, body in RateLimit(1, per: .seconds(1)).run(on: .main) { try body() } },
    ClosureOperator("reader") { world, body in ReadersWriterGate().read(on: world.main) { try body() } },
    ClosureOperator("reader on main") { _, body in ReadersWriterGate().read(on: .main) { try body() } },
    ClosureOperator("writer") { world, body in ReadersWriterGate().write(on: world.main) { try body() } },
    ClosureOperator("writer on main") { _, body in ReadersWriterGate().write(on: .main) { try body() } },
    ClosureOperator("gate within a gate") { world, body in
      let inner = SerialGate()
      return SerialGate().run(on: world.main) { inner.run(on: world.main) { try body() } }
    },
    ClosureOperator("single flight") { world, body in
      SingleFlight<String, Int>().run("key", on: world.main) { try body() }
    },
    ClosureOperator("single flight on main") { _, body in
      SingleFlight<String, Int>().run("key", on: .main) { try body() }
    },
  ]

  static let asyncSequences = [
    ClosureOperator("traverse of an asynchronous sequence") { world, body in
      Promise.traverse(Ticks(3), concurrency: 2, on: world.main) { number in number == 1 ? try body() : .fulfilled(0) }
    },
    ClosureOperator("traverse of an asynchronous sequence on main") { _, body in
      Promise.traverse(Ticks(3), concurrency: 1, on: .main) { _ in try body() }
    },
    ClosureOperator("forEach of an asynchronous sequence") { world, body in
      Promise.forEach(Ticks(3), on: world.main) { _ in try body() }
    },
    ClosureOperator("forEach of an asynchronous sequence on main") { _, body in
      Promise.forEach(Ticks(3), on: .main) { _ in try body() }
    },
  ]

  private actor Owner {}

  static let isolated = [
    ClosureOperator("retry on an actor") { _, body in
      Promise.retry(attempts: 4, isolatedTo: Owner()) { _ in try body() }
    },
    ClosureOperator("using on an actor") { _, body in
      Promise.using({ _ in .fulfilled(1) }, release: { _, _ in Promise.fulfilled(0) }, isolatedTo: Owner()) { _, _ in
        try body()
      }
    },
    ClosureOperator("repeat on an actor") { _, body in
      Promise.repeat(isolatedTo: Owner()) { _ -> Promise<Int>? in try body() }
    },
    ClosureOperator("traverse on an actor") { _, body in
      Promise.traverse(0..<3, concurrency: 1, isolatedTo: Owner()) { _, _ in try body() }
    },
    ClosureOperator("traverse of an asynchronous sequence on an actor") { _, body in
      Promise.traverse(Ticks(3), concurrency: 1, isolatedTo: Owner()) { _, _ in try body() }
    },
    ClosureOperator("forEach on an actor") { _, body in
      Promise.forEach(0..<3, isolatedTo: Owner()) { _, _ in try body() }
    },
    ClosureOperator("forEach of an asynchronous sequence on an actor") { _, body in
      Promise.forEach(Ticks(3), isolatedTo: Owner()) { _, _ in try body() }
    },
    ClosureOperator("reduce on an actor") { _, body in
      Promise.fulfilled(0).reduce(0..<3, isolatedTo: Owner()) { _, _, _ in try body() }
    },
    ClosureOperator("chain on an actor") { _, body in
      Promise.chain(0, [{ _, _ in try body() }], isolatedTo: Owner())
    },
    ClosureOperator("serial gate on an actor") { _, body in SerialGate().run(isolatedTo: Owner()) { _ in try body() } },
    ClosureOperator("limit on an actor") { _, body in Limit(1).run(isolatedTo: Owner()) { _ in try body() } },
    ClosureOperator("rate limit on an actor") { _, body in
      RateLimit(1, per: .seconds(1)).run(isolatedTo: Owner()) { _ in try body() }
    },
    ClosureOperator("reader on an actor") { _, body in
      ReadersWriterGate().read(isolatedTo: Owner()) { _ in try body() }
    },
    ClosureOperator("writer on an actor") { _, body in
      ReadersWriterGate().write(isolatedTo: Owner()) { _ in try body() }
    },
    ClosureOperator("single flight on an actor") { _, body in
      SingleFlight<String, Int>().run("key", isolatedTo: Owner()) { _ in try body() }
    },
  ]

  static let all = links + sequences + gates + asyncSequences + isolated
}
