import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

/// A gate of any kind, as one that lets through what gives a number.
struct Door: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable () throws -> Promise<Int>

  let testDescription: String
  /// Makes a gate, which only the closure that is returned holds.
  let make: @Sendable () -> @Sendable (any ExecutionContext, @escaping Body) -> Promise<Int>

  /// Those through which one goes at a time.
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

  /// Those through which many go.
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

/// What some guests do behind a door: their promises, and in what order they came in.
final class Guests: Sendable {
  let owners: [Deferred<Int>]
  let entered = Log<Int>()

  init(_ count: Int) { owners = (0..<count).map { _ in Deferred<Int>() } }

  /// What the guest does when it is let in. Says in `entered` that it came, or -1 if somebody else still was inside.
  func body(_ number: Int) -> Door.Body {
    { [self] in
      let isAlone = entered.entries.allSatisfy { $0 < 0 || !owners[$0].promise.isPending }
      entered.append(isAlone ? number : -1)
      return owners[number].promise
    }
  }
}
