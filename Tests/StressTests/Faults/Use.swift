import PromiseCombinators
import PromiseGates
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
      LazyPromise<Int>.adopting(on: context) { try giving(start, after: body) }.promise
    },
  ]

  private static let sequences: [Use] = [
    Use("reduce", count: 3) { start, context, body in
      start.reduce(1...3, on: context) { sum, _ in try giving(.fulfilled(sum), after: body) }
    },
    Use("repeat", count: 3) { _, context, body in
      let count = Locked(0)
      return Promise.repeat(on: context) {
        if count.increment() > 3 { return nil }
        return try giving(.fulfilled(1), after: body)
      }
    },
    Use("chain", count: 3) { _, context, body in
      let link: @Sendable (Int) throws -> Promise<Int> = { try giving(.fulfilled($0), after: body) }
      return Promise.chain(0, [link, link, link], on: context)
    },
    Use("forEach", count: 3) { start, context, body in
      Promise.forEach(1...3, on: context) { _ in try giving(start, after: body) }
    },
    Use("traverse", count: 3) { start, context, body in
      Promise.traverse(1...3, concurrency: 2, on: context) { _ in try giving(start, after: body) }
    },
    Use("retry") { start, context, body in
      Promise.retry(attempts: 1, on: context) { try giving(start, after: body) }
    },
  ]

  private static let gates: [Use] = [
    Use("SerialGate", count: 3, throughGate({ SerialGate() }, run: { $0.run(on: $1, $2) })),
    Use("ConcurrencyLimit", count: 3, throughGate({ ConcurrencyLimit(1) }, run: { $0.run(on: $1, $2) })),
    Use("RateLimit", count: 3, throughGate({ RateLimit(10, per: .zero) }, run: { $0.run(on: $1, $2) })),
    Use("ReadersWriterGate.read", count: 3, throughGate({ ReadersWriterGate() }, run: { $0.read(on: $1, $2) })),
    Use("ReadersWriterGate.write", count: 3, throughGate({ ReadersWriterGate() }, run: { $0.write(on: $1, $2) })),
    Use("SingleFlight") { start, context, body in
      SingleFlight<Int, Int>().run(for: 1, on: context) { try giving(start, after: body) }
    },
  ]

  /// Returns a use that runs three closures through one gate. A failure of one closure must not shut the gate.
  private static func throughGate<Gate: Sendable>(
    _ make: @escaping @Sendable () -> Gate,
    run: @escaping @Sendable (Gate, any ExecutionContext, @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int>
  ) -> Run {
    { start, context, body in
      let gate = make()
      return Promise.all(
        (0..<3).map { _ in run(gate, context) { try giving(start, after: body) } }, onRejection: .waitForAll)
    }
  }
}

/// Calls the closure of the client, and then returns the promise.
func giving(_ promise: Promise<Int>, after body: Use.Body) throws -> Promise<Int> {
  try body()
  return promise
}
