import PromiseCombinators
import PromiseGates
import TestSupport

extension ClientOperator {
  static let gates = [
    inTurn("serial gate", SerialGate(), after: { $0.run($1) }, enter: { $0.run(on: $2, $1.begin) }),
    inTurn("limit", ConcurrencyLimit(1), after: { $0.run($1) }, enter: { $0.run(on: $2, $1.begin) }),
    inTurn("readers", ReadersWriterGate(), after: { $0.write($1) }, enter: { $0.read(on: $2, $1.begin) }),
    inTurn("writers", ReadersWriterGate(), after: { $0.read($1) }, enter: { $0.write(on: $2, $1.begin) }),
    inTurn("rate limit", RateLimit(1, per: .seconds(1)), after: { $0.run($1) }, enter: { $0.run(on: $2, $1.begin) }),
    shared("single flight", SingleFlight<Int, Int>()) { $0.run(for: 1, on: $2, $1.begin) },
    shared("cache", ValueCache<Int, Int>()) { $0.value(for: 1, on: $2, $1.begin) },
  ]

  static let asyncGates = [
    inTurn(
      "serial gate", SerialGate(), after: { $0.run($1) },
      enter: { gate, work, _ in gate.asyncRun(work.beginAsync) }),
    inTurn(
      "limit", ConcurrencyLimit(1), after: { $0.run($1) }, enter: { gate, work, _ in gate.asyncRun(work.beginAsync) }),
    inTurn(
      "readers", ReadersWriterGate(), after: { $0.write($1) },
      enter: { gate, work, _ in gate.asyncRead(work.beginAsync) }),
    inTurn(
      "writers", ReadersWriterGate(), after: { $0.read($1) },
      enter: { gate, work, _ in gate.asyncWrite(work.beginAsync) }),
    inTurn(
      "rate limit", RateLimit(1, per: .seconds(1)), after: { $0.run($1) },
      enter: { gate, work, _ in gate.asyncRun(work.beginAsync) }),
    shared("single flight", SingleFlight<Int, Int>()) { flights, work, _ in flights.asyncRun(for: 1, work.beginAsync) },
    shared("cache", ValueCache<Int, Int>()) { cache, work, _ in cache.asyncValue(for: 1, work.beginAsync) },
  ]

  private typealias Body = @Sendable () throws -> Promise<Int>
  private typealias Entering<Gate> = @Sendable (Gate, ClientWork, any ExecutionContext) -> Promise<Int>

  /// A gate that is entered once by a stranger and then twice by the client.
  private static func inTurn<Gate: Sendable>(
    _ name: String, _ gate: @autoclosure @escaping @Sendable () -> Gate,
    after stranger: @escaping @Sendable (Gate, @escaping Body) -> Promise<Int>, enter: @escaping Entering<Gate>
  ) -> ClientOperator {
    ClientOperator(name, count: 2) { work, context in
      let gate = gate()
      let first = Client.run(as: "stranger") { stranger(gate) { work.holder.promise } }
      return Promise.all([first, enter(gate, work, context), enter(gate, work, context)])
    }
  }

  /// Work that the client begins and that a stranger shares.
  private static func shared<Gate: Sendable>(
    _ name: String, _ gate: @autoclosure @escaping @Sendable () -> Gate, enter: @escaping Entering<Gate>
  ) -> ClientOperator {
    ClientOperator(name) { work, context in
      let gate = gate()
      let first = enter(gate, work, context)
      return Promise.all(first, Client.run(as: "stranger") { enter(gate, work, context) })
    }
  }
}
