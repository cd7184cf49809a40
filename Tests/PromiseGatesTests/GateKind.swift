import PromiseGates
import TestSupport
import Testing

/// A kind of gate, as a function that takes closures with a promise of a number.
struct GateKind: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable () throws -> Promise<Int>

  let testDescription: String
  /// Makes a gate. Only the returned closure retains the gate.
  let make: @Sendable () -> @Sendable (any ExecutionContext, @escaping Body) -> Promise<Int>

  init<Gate: Sendable>(
    _ name: String, _ gate: @escaping @Sendable @autoclosure () -> Gate,
    run: @escaping @Sendable (Gate, any ExecutionContext, @escaping Body) -> Promise<Int>
  ) {
    testDescription = name
    make = {
      let gate = gate()
      return { run(gate, $0, $1) }
    }
  }

  /// The gates that admit one guest at a time.
  static let single = [
    GateKind("serial", SerialGate()) { $0.run(on: $1, $2) },
    GateKind("limit of 1", ConcurrencyLimit(1)) { $0.run(on: $1, $2) },
    GateKind("limit of less than 1", ConcurrencyLimit(.min)) { $0.run(on: $1, $2) },
    GateKind("writers", ReadersWriterGate()) { $0.write(on: $1, $2) },
  ]

  /// The gates that admit many guests at a time.
  static let wide = [
    GateKind("limit", ConcurrencyLimit(.max)) { $0.run(on: $1, $2) },
    GateKind("readers", ReadersWriterGate()) { $0.read(on: $1, $2) },
    GateKind("rate", RateLimit(.max, per: .seconds(1))) { $0.run(on: $1, $2) },
    GateKind("no rate", RateLimit(1, per: .zero)) { $0.run(on: $1, $2) },
    GateKind("less than no rate", RateLimit(.min, per: .seconds(-1))) { $0.run(on: $1, $2) },
  ]

  static var all: [GateKind] { single + wide }
}

/// Guests of a gate, with their owners and the order in which they entered.
final class Guests: Sendable {
  let owners: [Deferred<Int>]
  /// The numbers of the guests in the order in which they entered, or -1 for a guest that was not alone.
  let entered = Log<Int>()
  /// The numbers of the guests in the order in which they entered, even if others were inside.
  let order = Log<Int>()

  init(_ count: Int) { owners = (0..<count).map { _ in Deferred<Int>() } }

  /// Returns the closure of a guest. It logs the guest's number in `order`, and in `entered`, there as -1 if another
  /// guest is still inside.
  func body(_ number: Int) -> GateKind.Body {
    { [self] in
      let isAlone = entered.entries.allSatisfy { $0 < 0 || !owners[$0].promise.isPending }
      entered.append(isAlone ? number : -1)
      order.append(number)
      return owners[number].promise
    }
  }
}
