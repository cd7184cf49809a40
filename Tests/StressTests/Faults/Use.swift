import PromiseCombinators
import TestSupport
import Testing

/// A use of the library that runs a client's closure on a context.
struct Use: Sendable, CustomTestStringConvertible {
  typealias Run =
    @Sendable (_ start: Promise<Int>, _ context: any ExecutionContext, _ body: @escaping Body) -> AnyPromise
  /// The closure of the client.
  typealias Body = @Sendable () throws -> Void

  let testDescription: String
  /// The number of times that the closure runs if all goes well.
  let count: Int
  private let run: Run

  init(_ name: String, count: Int = 1, _ run: @escaping Run) {
    (testDescription, self.count, self.run) = (name, count, run)
  }

  static let all = making + sequences + gates

  /// Starts the use on a fulfilled promise.
  func start(on context: any ExecutionContext, _ body: @escaping Body) -> AnyPromise {
    run(.fulfilled(1), context, body)
  }

  private static let making: [Use] = [
    Use("map") { start, context, body in start.map(on: context) { _ in try body() } },
    Use("run") { _, context, body in Promise<Void>.run(on: context) { try body() } },
    Use("Promise(on:)") { _, context, body in
      Promise<Void>(on: context) { deferred in
        try body()
        deferred.fulfill()
      }
    },
    Use("LazyPromise.run") { _, context, body in LazyPromise<Void>.run(on: context) { try body() }.promise },
    Use("LazyPromise.adopting") { start, context, body in
      LazyPromise<Int>.adopting(on: context) {
        try body()
        return start
      }.promise
    },
  ]

  private static let sequences: [Use] = [
    Use("reduce", count: 3) { start, context, body in
      start.reduce(1...3, on: context) { sum, _ in
        try body()
        return .fulfilled(sum)
      }
    },
    Use("repeat", count: 3) { _, context, body in
      let count = Locked(0)
      return Promise.repeat(on: context) {
        if count.increment() > 3 { return nil }
        try body()
        return Promise.fulfilled(1)
      }
    },
    Use("chain", count: 3) { _, context, body in
      let link: @Sendable (Int) throws -> Promise<Int> = { value in
        try body()
        return .fulfilled(value)
      }
      return Promise.chain(0, [link, link, link], on: context)
    },
    Use("forEach", count: 3) { start, context, body in
      Promise.forEach(1...3, on: context) { _ in
        try body()
        return start
      }
    },
    Use("traverse", count: 3) { start, context, body in
      Promise.traverse(1...3, concurrency: 2, on: context) { _ in
        try body()
        return start
      }
    },
    Use("retry") { start, context, body in
      Promise.retry(attempts: 1, on: context) {
        try body()
        return start
      }
    },
  ]

  private static let gates: [Use] = [
    Use("SerialGate", count: 3, throughGate({ SerialGate() }, run: { $0.run(on: $1, $2) })),
    Use("Limit", count: 3, throughGate({ Limit(1) }, run: { $0.run(on: $1, $2) })),
    Use("RateLimit", count: 3, throughGate({ RateLimit(10, per: .zero) }, run: { $0.run(on: $1, $2) })),
    Use("ReadersWriterGate.read", count: 3, throughGate({ ReadersWriterGate() }, run: { $0.read(on: $1, $2) })),
    Use("ReadersWriterGate.write", count: 3, throughGate({ ReadersWriterGate() }, run: { $0.write(on: $1, $2) })),
    Use("SingleFlight") { start, context, body in
      SingleFlight<Int, Int>().run(1, on: context) {
        try body()
        return start
      }
    },
  ]

  /// Returns a use that runs three closures through one gate. A failure of one closure must not shut the gate.
  private static func throughGate<Gate: Sendable>(
    _ make: @escaping @Sendable () -> Gate,
    run: @escaping @Sendable (Gate, any ExecutionContext, @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int>
  ) -> Run {
    { start, context, body in
      let gate = make()
      let inside: @Sendable () throws -> Promise<Int> = {
        try body()
        return start
      }
      return Promise.all((0..<3).map { _ in run(gate, context, inside) }, onFailure: .waitForAll)
    }
  }
}
