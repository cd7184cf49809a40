import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

/// A kind of gate, as a function that takes closures with a promise of a number.
struct Door: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable () throws -> Promise<Int>

  let testDescription: String
  /// Makes a gate. Only the returned closure retains the gate.
  let make: @Sendable () -> @Sendable (any ExecutionContext, @escaping Body) -> Promise<Int>

  /// The gates that admit one guest at a time.
  static let single = [
    Door(testDescription: "serial") {
      let gate = SerialGate()
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "limit of 1") {
      let gate = Limit(1)
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "limit of less than 1") {
      let gate = Limit(.min)
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "writers") {
      let gate = ReadersWriterGate()
      return { gate.write(on: $0, $1) }
    },
  ]

  /// The gates that admit many guests at a time.
  static let wide = [
    Door(testDescription: "limit") {
      let gate = Limit(.max)
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "readers") {
      let gate = ReadersWriterGate()
      return { gate.read(on: $0, $1) }
    },
    Door(testDescription: "rate") {
      let gate = RateLimit(.max, per: .seconds(1))
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "no rate") {
      let gate = RateLimit(1, per: .zero)
      return { gate.run(on: $0, $1) }
    },
    Door(testDescription: "less than no rate") {
      let gate = RateLimit(.min, per: .seconds(-1))
      return { gate.run(on: $0, $1) }
    },
  ]

  static var all: [Door] { single + wide }
}

/// Guests of a gate, with their owners and the order in which they entered.
final class Guests: Sendable {
  let owners: [Deferred<Int>]
  let entered = Log<Int>()

  init(_ count: Int) { owners = (0..<count).map { _ in Deferred<Int>() } }

  /// Returns the closure of a guest. It logs the guest's number in `entered`, or -1 if another guest is still inside.
  func body(_ number: Int) -> Door.Body {
    { [self] in
      let isAlone = entered.entries.allSatisfy { $0 < 0 || !owners[$0].promise.isPending }
      entered.append(isAlone ? number : -1)
      return owners[number].promise
    }
  }
}

/// A key whose hash is always the same.
struct Clashing: Hashable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}
