import PromiseCombinators
import PromiseGates
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

  static let links: [ClosureOperator] = [
    .init("then") { world, body in Promise.fulfilled(1).then(on: world.main) { _ in try body() } },
    .init("then, both handlers") { world, body in
      Promise.fulfilled(1).then(on: world.main, fulfilled: { _ in try body() }, rejected: { _ in try body() })
    },
    .init("rescue") { world, body in Promise<Int>.rejected(TestError(1)).rescue(on: world.main) { _ in try body() } },
    .init("then within then") { world, body in
      Promise.fulfilled(1).then(on: world.main) { _ in
        Promise.fulfilled(1).then(on: world.main) { _ in try body() }
      }
    },
    .init("join") { world, body in Promise.fulfilled(1).map(on: world.main) { _ in try body() }.join() },
  ]

  static let sequences: [ClosureOperator] = [
    .init("retry, first attempt") { Promise.retry(attempts: 4, on: $0.main, $1) },
    .init("retry with numbers") { world, body in
      Promise.retry(attempts: 4, within: .seconds(9), on: world.main) { _ in try body() }
    },
    .init("retry on main") { _, body in Promise.retry(attempts: 4, on: .main) { try body() } },
    .init("retry with a value") { world, body in
      Promise.retry(attempts: 4, on: world.main, carrying: 0) { _ in try body() }
    },
    .init("retry with a value on main") { _, body in
      Promise.retry(attempts: 4, on: .main, carrying: 0) { _ in try body() }
    },
    .init("retry with a value, later attempt") { world, body in
      Promise.retry(attempts: 6, backoff: .constant(.zero), on: world.main, carrying: 0) { attempt in
        if attempt.number < 3 { throw TestError(1) }
        return try body()
      }
    },
    .init("retry, later attempt") { world, body in
      let attempts = Locked(0)
      return Promise.retry(attempts: 6, backoff: .constant(.zero), on: world.main) {
        if attempts.increment() < 3 { throw TestError(1) }
        return try body()
      }
    },
    .init("using") { world, body in
      Promise.using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(0) }, on: world.main) { _ in try body() }
    },
    .init("using on main") { _, body in
      Promise.using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(0) }, on: .main) { _ in try body() }
    },
    .init("forEach") { world, body in Promise.forEach(0..<3, on: world.main) { _ in try body() } },
    .init("forEach, later element") { world, body in
      Promise.forEach(0..<3, on: world.main) { number in number < 2 ? .fulfilled(0) : try body() }
    },
    .init("forEach on main") { _, body in Promise.forEach(0..<3, on: .main) { _ in try body() } },
    .init("repeat") { world, body in Promise.repeat(on: world.main) { () -> Promise<Int>? in try body() } },
    .init("repeat on main") { _, body in Promise.repeat(on: .main) { () -> Promise<Int>? in try body() } },
    .init("reduce") { world, body in Promise.fulfilled(0).reduce(0..<3, on: world.main) { _, _ in try body() } },
    .init("reduce on main") { _, body in Promise.fulfilled(0).reduce(0..<3, on: .main) { _, _ in try body() } },
    .init("reduce of promises") { world, body in
      Promise.reduce(all: [.fulfilled(0), .fulfilled(1), .fulfilled(2)], on: world.main) { _, _ in try body() }
    },
    .init("reduce of promises on main") { _, body in
      Promise.reduce(all: [.fulfilled(0), .fulfilled(1)], on: .main) { _, _ in try body() }
    },
    .init("chain") { world, body in
      Promise.chain(0, [{ .fulfilled($0) }, { _ in try body() }, { .fulfilled($0) }], on: world.main)
    },
    .init("chain on main") { _, body in Promise.chain(0, [{ _ in try body() }], on: .main) },
    .init("traverse") { world, body in Promise.traverse(0..<3, concurrency: 1, on: world.main) { _ in try body() } },
    .init("traverse, three at a time") { world, body in
      Promise.traverse(0..<3, concurrency: 3, on: world.main) { number in number == 1 ? try body() : .fulfilled(0) }
    },
    .init("traverse on main") { _, body in Promise.traverse(0..<3, concurrency: 1, on: .main) { _ in try body() } },
  ]

  static let gates: [ClosureOperator] = [
    .init("serial gate") { SerialGate().run(on: $0.main, $1) },
    .init("serial gate on main") { _, body in SerialGate().run(on: .main) { try body() } },
    .init("limit") { ConcurrencyLimit(1).run(on: $0.main, $1) },
    .init("limit of several") { ConcurrencyLimit(7).run(on: $0.main, $1) },
    .init("limit with a priority and a limit of the waiting time") { world, body in
      ConcurrencyLimit(1, waitingAtMost: .seconds(1)).run(on: world.main, queuePriority: 1) { try body() }
    },
    .init("cache") { ValueCache<Int, Int>().value(for: 1, on: $0.main, $1) },
    .init("cache with costs") { world, body in
      ValueCache<Int, Int>(cost: { $0 }).value(for: 1, on: world.main) { try body() }
    },
    .init("cache on main") { _, body in ValueCache<Int, Int>().value(for: 1, on: .main) { try body() } },
    .init("limit on main") { _, body in ConcurrencyLimit(1).run(on: .main) { try body() } },
    .init("rate limit") { RateLimit(1, per: .seconds(1)).run(on: $0.main, $1) },
    .init("rate limit on main") { _, body in RateLimit(1, per: .seconds(1)).run(on: .main) { try body() } },
    .init("reader") { ReadersWriterGate().read(on: $0.main, $1) },
    .init("reader on main") { _, body in ReadersWriterGate().read(on: .main) { try body() } },
    .init("writer") { ReadersWriterGate().write(on: $0.main, $1) },
    .init("writer on main") { _, body in ReadersWriterGate().write(on: .main) { try body() } },
    .init("gate within a gate") { world, body in
      let inner = SerialGate()
      return SerialGate().run(on: world.main) { inner.run(on: world.main) { try body() } }
    },
    .init("single flight") { world, body in SingleFlight<String, Int>().run(for: "key", on: world.main) { try body() }
    },
    .init("single flight on main") { _, body in SingleFlight<String, Int>().run(for: "key", on: .main) { try body() } },
  ]

  static let asyncSequences: [ClosureOperator] = [
    .init("asynchronous traverse") { world, body in
      Promise.traverse(Ticks(3), concurrency: 2, on: world.main) { number in number == 1 ? try body() : .fulfilled(0) }
    },
    .init("asynchronous traverse on main") { _, body in
      Promise.traverse(Ticks(3), concurrency: 1, on: .main) { _ in try body() }
    },
    .init("asynchronous forEach") { world, body in Promise.forEach(Ticks(3), on: world.main) { _ in try body() } },
    .init("asynchronous forEach on main") { _, body in Promise.forEach(Ticks(3), on: .main) { _ in try body() } },
  ]

  private actor Owner {}

  static let isolated: [ClosureOperator] = [
    .init("retry on an actor") { _, body in Promise.retry(attempts: 4, isolatedTo: Owner()) { _ in try body() } },
    .init("retry with a value on an actor") { _, body in
      Promise.retry(attempts: 4, isolatedTo: Owner(), carrying: 0) { _, _ in try body() }
    },
    .init("using on an actor") { _, body in
      Promise.using({ _ in .fulfilled(1) }, release: { _, _ in Promise.fulfilled(0) }, isolatedTo: Owner()) { _, _ in
        try body()
      }
    },
    .init("repeat on an actor") { _, body in Promise.repeat(isolatedTo: Owner()) { _ -> Promise<Int>? in try body() } },
    .init("traverse on an actor") { _, body in
      Promise.traverse(0..<3, concurrency: 1, isolatedTo: Owner()) { _, _ in try body() }
    },
    .init("asynchronous traverse on an actor") { _, body in
      Promise.traverse(Ticks(3), concurrency: 1, isolatedTo: Owner()) { _, _ in try body() }
    },
    .init("forEach on an actor") { _, body in Promise.forEach(0..<3, isolatedTo: Owner()) { _, _ in try body() } },
    .init("asynchronous forEach on an actor") { _, body in
      Promise.forEach(Ticks(3), isolatedTo: Owner()) { _, _ in try body() }
    },
    .init("reduce on an actor") { _, body in
      Promise.fulfilled(0).reduce(0..<3, isolatedTo: Owner()) { _, _, _ in try body() }
    },
    .init("reduce of promises on an actor") { _, body in
      Promise.reduce(all: [.fulfilled(0), .fulfilled(1)], isolatedTo: Owner()) { _, _, _ in try body() }
    },
    .init("chain on an actor") { _, body in Promise.chain(0, [{ _, _ in try body() }], isolatedTo: Owner()) },
    .init("serial gate on an actor") { _, body in SerialGate().run(isolatedTo: Owner()) { _ in try body() } },
    .init("limit on an actor") { _, body in ConcurrencyLimit(1).run(isolatedTo: Owner()) { _ in try body() } },
    .init("rate limit on an actor") { _, body in
      RateLimit(1, per: .seconds(1)).run(isolatedTo: Owner()) { _ in try body() }
    },
    .init("reader on an actor") { _, body in ReadersWriterGate().read(isolatedTo: Owner()) { _ in try body() } },
    .init("writer on an actor") { _, body in ReadersWriterGate().write(isolatedTo: Owner()) { _ in try body() } },
    .init("single flight on an actor") { _, body in
      SingleFlight<String, Int>().run(for: "key", isolatedTo: Owner()) { _ in try body() }
    },
  ]

  static let all = links + sequences + gates + asyncSequences + isolated
}
