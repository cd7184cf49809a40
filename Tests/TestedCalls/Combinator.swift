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
  /// Whether the result needs all inputs, and shows the mean of their progress. Otherwise any single input can settle
  /// it, and it shows the maximum.
  package let needsAll: Bool
  package let combine: @Sendable ([Promise<Value>]) -> AnyPromise

  private init(
    _ function: String, _ policy: String? = nil, row: String? = nil, needsAll: Bool = true,
    combine: @escaping @Sendable ([Promise<Value>]) -> AnyPromise
  ) {
    (self.function, self.row, self.needsAll) = (function, row.map { "Promise.\($0)" }, needsAll)
    self.combine = combine
    description = row ?? policy.map { "\(function), \($0)" } ?? function
  }

  package static var all: [Combinator] {
    allOrSettled + anyOrRace(cancelsLosers: false) + anyOrRace(cancelsLosers: true)
  }

  private static var allOrSettled: [Combinator] {
    [
      Combinator("all(_:onRejection:)", row: "all") { Promise.all($0) },
      Combinator("all(_:onRejection:)", row: "all(_:onRejection: .waitForAll)") {
        Promise.all($0, onRejection: .waitForAll)
      },
      Combinator("all(_:onRejection:)", row: "all(_:onRejection: .cancelRemaining)") {
        Promise.all($0, onRejection: .cancelRemaining)
      },
      Combinator("all(_:_:_:onRejection:)") { Promise.all($0[0], $0[1]) },
      Combinator("all(_:_:_:onRejection:)", "cancelling") { inputs in
        inputs.count > 2
          ? Promise.all(inputs[0], inputs[1], inputs[2], onRejection: .cancelRemaining)
          : Promise.all(inputs[0], inputs[1], onRejection: .cancelRemaining)
      },
      Combinator("keyed all(_:onRejection:)") { Promise.all(keyed($0)) },
      Combinator("keyed all(_:onRejection:)", "cancelling") { Promise.all(keyed($0), onRejection: .cancelRemaining) },
      Combinator("allSettled(_:)", row: "allSettled") { Promise.allSettled($0) },
      Combinator("allSettled(_:atLeast:)", row: "allSettled(_:atLeast:)") { Promise.allSettled($0, atLeast: 2) },
      Combinator("allSettled(_:_:_:atLeast:)") { Promise.allSettled($0[0], $0[1]) },
      Combinator("allSettled(_:_:_:atLeast:)", "at least 2") { inputs in
        inputs.count > 2
          ? Promise.allSettled(inputs[0], inputs[1], inputs[2], atLeast: 2)
          : Promise.allSettled(inputs[0], inputs[1], atLeast: 2)
      },
      Combinator("keyed allSettled(_:atLeast:)") { Promise.allSettled(keyed($0)) },
      Combinator("keyed allSettled(_:atLeast:)", "at least 2") { Promise.allSettled(keyed($0), atLeast: 2) },
    ]
  }

  package static func anyOrRace(cancelsLosers cancels: Bool) -> [Combinator] {
    let policy = cancels ? "cancelling" : nil
    return [
      Combinator(
        "any(_:cancelsLosers:)", row: cancels ? "any(_:cancelsLosers: true)" : "any", needsAll: false
      ) { Promise.any($0, cancelsLosers: cancels) },
      Combinator("any(_:_:cancelsLosers:)", policy, needsAll: false) { inputs in
        inputs.count == 1
          ? Promise<Value>.any(inputs[0], cancelsLosers: cancels)
          : Promise<Value>.any(inputs[0], inputs[1], cancelsLosers: cancels)
      },
      Combinator(
        "any(enumerating:cancelsLosers:)", policy, row: cancels ? nil : "any(enumerating:)", needsAll: false
      ) { Promise.any(enumerating: $0, cancelsLosers: cancels) },
      Combinator("keyed any(_:cancelsLosers:)", policy, needsAll: false) {
        Promise.any(keyed($0), cancelsLosers: cancels)
      },
      Combinator(
        "race(_:cancelsLosers:)", row: cancels ? "race(_:cancelsLosers: true)" : "race",
        needsAll: false
      ) { Promise.race($0, cancelsLosers: cancels) },
      Combinator("race(_:_:cancelsLosers:)", policy, needsAll: false) { inputs in
        inputs.count == 1
          ? Promise<Value>.race(inputs[0], cancelsLosers: cancels)
          : Promise<Value>.race(inputs[0], inputs[1], cancelsLosers: cancels)
      },
      Combinator(
        "race(enumerating:cancelsLosers:)", policy, row: cancels ? nil : "race(enumerating:)",
        needsAll: false
      ) { Promise.race(enumerating: $0, cancelsLosers: cancels) },
      Combinator("keyed race(_:cancelsLosers:)", policy, needsAll: false) {
        Promise.race(keyed($0), cancelsLosers: cancels)
      },
    ]
  }

  private static func keyed(_ inputs: [Promise<Value>]) -> [Int: Promise<Value>] {
    Dictionary(uniqueKeysWithValues: zip(0..., inputs))
  }
}
