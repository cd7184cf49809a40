package import PromiseCombinators

/// A combinator of several promises, as a function that hides the type of its result.
///
/// A function has an entry for each of its policies. The leak tests use the last one.
package struct Combinator<Value: Sendable>: Sendable, CustomStringConvertible {
  /// The function with its labels, as `Listing` writes it. Begins with `keyed` if the inputs are a dictionary.
  package let function: String
  /// The call in Docs/Reference/CancellationByOperator.md, if the document has a row for it.
  package let row: String?
  package let description: String
  /// The number of inputs without which there is no result. `nil` if all are needed.
  private let count: Int?
  package let combine: @Sendable ([Promise<Value>]) -> AnyPromise

  private init(
    _ function: String, _ policy: String? = nil, row: String? = nil, needing count: Int? = nil,
    combine: @escaping @Sendable ([Promise<Value>]) -> AnyPromise
  ) {
    (self.function, self.row, self.count) = (function, row.map { "Promise.\($0)" }, count)
    self.combine = combine
    description = row ?? policy.map { "\(function), \($0)" } ?? function
  }

  package static var all: [Combinator] { allOrSettled + withLosers }

  /// The combinators that leave the inputs that they do not need any more, or give them up.
  package static var withLosers: [Combinator] { withLosers(cancelling: false) + withLosers(cancelling: true) }

  private static var allOrSettled: [Combinator] {
    [
      Combinator("all(_:onRejection:)", row: "all") { Promise.all($0) },
      Combinator("all(_:onRejection:)", row: "all(_:onRejection: .waitForAll)") {
        Promise.all($0, onRejection: .waitForAll)
      },
      Combinator("all(_:onRejection:)", row: "all(_:onRejection: .cancelRemaining)") {
        Promise.all($0, onRejection: .cancelRemaining)
      },
      Combinator("all(_:_:_:onRejection:)") { inputs in
        inputs.count > 2 ? Promise.all(inputs[0], inputs[1], inputs[2]) : Promise.all(inputs[0], inputs[1])
      },
      Combinator("all(_:_:_:onRejection:)", "cancelling") { inputs in
        inputs.count > 2
          ? Promise.all(inputs[0], inputs[1], inputs[2], onRejection: .cancelRemaining)
          : Promise.all(inputs[0], inputs[1], onRejection: .cancelRemaining)
      },
      Combinator("keyed all(_:onRejection:)") { Promise.all(keyed($0)) },
      Combinator("keyed all(_:onRejection:)", "cancelling") { Promise.all(keyed($0), onRejection: .cancelRemaining) },
      Combinator("allSettled(_:)", row: "allSettled") { Promise.allSettled($0) },
      Combinator("allSettled(_:atLeast:)", row: "allSettled(_:atLeast:)") { Promise.allSettled($0, atLeast: 2) },
      Combinator("allSettled(_:_:_:atLeast:)") { inputs in
        inputs.count > 2
          ? Promise.allSettled(inputs[0], inputs[1], inputs[2]) : Promise.allSettled(inputs[0], inputs[1])
      },
      Combinator("allSettled(_:_:_:atLeast:)", "at least 2") { inputs in
        inputs.count > 2
          ? Promise.allSettled(inputs[0], inputs[1], inputs[2], atLeast: 2)
          : Promise.allSettled(inputs[0], inputs[1], atLeast: 2)
      },
      Combinator("keyed allSettled(_:atLeast:)") { Promise.allSettled(keyed($0)) },
      Combinator("keyed allSettled(_:atLeast:)", "at least 2") { Promise.allSettled(keyed($0), atLeast: 2) },
    ]
  }

  private static func withLosers(cancelling cancels: Bool) -> [Combinator] {
    let policy = cancels ? "cancelling" : nil
    return [
      Combinator("some(_:count:cancelsLosers:)", cancels ? "1, cancelling" : "1", needing: 1) {
        Promise.some($0, count: 1, cancelsLosers: cancels)
      },
      Combinator(
        "some(_:count:cancelsLosers:)", row: cancels ? "some(_:count:cancelsLosers: true)" : "some", needing: 2
      ) { Promise.some($0, count: 2, cancelsLosers: cancels) },
      Combinator("some(_:_:count:cancelsLosers:)", policy, needing: 1) { inputs in
        switch inputs.count {
        case 1: Promise.some(inputs[0], count: 1, cancelsLosers: cancels)
        case 2: Promise.some(inputs[0], inputs[1], count: 1, cancelsLosers: cancels)
        default: Promise.some(inputs[0], inputs[1], inputs[2], count: 1, cancelsLosers: cancels)
        }
      },
      Combinator(
        "any(_:cancelsLosers:)", row: cancels ? "any(_:cancelsLosers: true)" : "any", needing: 1
      ) { Promise.any($0, cancelsLosers: cancels) },
      Combinator("any(_:_:cancelsLosers:)", policy, needing: 1) { inputs in
        switch inputs.count {
        case 1: Promise<Value>.any(inputs[0], cancelsLosers: cancels)
        case 2: Promise<Value>.any(inputs[0], inputs[1], cancelsLosers: cancels)
        default: Promise<Value>.any(inputs[0], inputs[1], inputs[2], cancelsLosers: cancels)
        }
      },
      Combinator(
        "any(enumerating:cancelsLosers:)", policy, row: cancels ? nil : "any(enumerating:)", needing: 1
      ) { Promise.any(enumerating: $0, cancelsLosers: cancels) },
      Combinator("any(inOrder:cancelsLosers:)", policy, row: cancels ? nil : "any(inOrder:)", needing: 1) {
        // Reversed, because the last inputs of the tests win.
        Promise.any(inOrder: $0.reversed(), cancelsLosers: cancels)
      },
      Combinator("keyed any(_:cancelsLosers:)", policy, needing: 1) {
        Promise.any(keyed($0), cancelsLosers: cancels)
      },
      Combinator(
        "race(_:cancelsLosers:)", row: cancels ? "race(_:cancelsLosers: true)" : "race",
        needing: 1
      ) { Promise.race($0, cancelsLosers: cancels) },
      Combinator("race(_:_:cancelsLosers:)", policy, needing: 1) { inputs in
        switch inputs.count {
        case 1: Promise<Value>.race(inputs[0], cancelsLosers: cancels)
        case 2: Promise<Value>.race(inputs[0], inputs[1], cancelsLosers: cancels)
        default: Promise<Value>.race(inputs[0], inputs[1], inputs[2], cancelsLosers: cancels)
        }
      },
      Combinator(
        "race(enumerating:cancelsLosers:)", policy, row: cancels ? nil : "race(enumerating:)",
        needing: 1
      ) { Promise.race(enumerating: $0, cancelsLosers: cancels) },
      Combinator("keyed race(_:cancelsLosers:)", policy, needing: 1) {
        Promise.race(keyed($0), cancelsLosers: cancels)
      },
    ]
  }

  /// Whether the combinator gives up the inputs that it does not need any more.
  package var cancelsLosers: Bool { description.contains("cancelsLosers: true") || description.hasSuffix("cancelling") }

  /// The number of inputs, out of the given number, without which there is no result. The progress of the result is the
  /// mean of as many, of those that have done most.
  package func countNeeded(of inputs: Int) -> Int { min(count ?? inputs, inputs) }

  private static func keyed(_ inputs: [Promise<Value>]) -> [Int: Promise<Value>] {
    Dictionary(uniqueKeysWithValues: zip(0..., inputs))
  }
}
