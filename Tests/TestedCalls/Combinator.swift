package import PromiseCombinators

/// A combinator of several promises, as a function that hides the type of its result.
///
/// A function whose parameter changes a property, such as `needsAll`, has several entries. The leak tests use the last
/// one.
package struct Combinator<Value: Sendable>: Sendable, CustomStringConvertible {
  /// The function with its labels, as `Listing` writes it. Begins with `keyed` if the inputs are a dictionary.
  package let function: String
  /// The name of the call in Docs/Reference/CancellationByOperator.md, if the document has a row for it.
  package let row: String?
  /// Whether the result needs all inputs, and shows the mean of their progress. Otherwise any single input can settle
  /// it, and it shows the maximum.
  package let needsAll: Bool
  package let combine: @Sendable ([Promise<Value>]) -> AnyPromise

  package var description: String { row ?? function }

  private init(
    _ function: String, row: String? = nil, needsAll: Bool = true,
    combine: @escaping @Sendable ([Promise<Value>]) -> AnyPromise
  ) {
    (self.function, self.row, self.needsAll, self.combine) = (function, row, needsAll, combine)
  }

  package static var all: [Combinator] {
    [
      Combinator("all(_:onFailure:)", row: "Promise.all") { Promise.all($0) },
      Combinator("all(_:onFailure:)", row: "Promise.all(_:onFailure: .waitForAll)") {
        Promise.all($0, onFailure: .waitForAll)
      },
      Combinator("all(_:onFailure:)", row: "Promise.all(_:onFailure: .cancelRemaining)") {
        Promise.all($0, onFailure: .cancelRemaining)
      },
      Combinator("all(_:_:_:onFailure:)") { Promise.all($0[0], $0[1], onFailure: .cancelRemaining) },
      Combinator("allSettled(_:)", row: "Promise.allSettled") { Promise.allSettled($0) },
      Combinator("allSettled(_:atLeast:)", row: "Promise.allSettled(_:atLeast:)") {
        Promise.allSettled($0, atLeast: 1)
      },
      Combinator("allSettled(_:_:_:atLeast:)") { Promise.allSettled($0[0], $0[1], atLeast: 1) },
      Combinator("any(_:cancelsLosers:)", row: "Promise.any", needsAll: false) { Promise.any($0) },
      Combinator("any(_:cancelsLosers:)", row: "Promise.any(_:cancelsLosers: true)", needsAll: false) {
        Promise.any($0, cancelsLosers: true)
      },
      Combinator("any(_:_:cancelsLosers:)", needsAll: false) { inputs in
        inputs.count == 1 ? Promise<Value>.any(inputs[0]) : Promise<Value>.any(inputs[0], inputs[1])
      },
      Combinator("any(enumerating:cancelsLosers:)", row: "Promise.any(enumerating:)", needsAll: false) {
        Promise.any(enumerating: $0)
      },
      Combinator("race(_:cancelsLosers:)", row: "Promise.race", needsAll: false) { Promise.race($0) },
      Combinator("race(_:cancelsLosers:)", row: "Promise.race(_:cancelsLosers: true)", needsAll: false) {
        Promise.race($0, cancelsLosers: true)
      },
      Combinator("race(_:_:cancelsLosers:)", needsAll: false) { inputs in
        inputs.count == 1 ? Promise<Value>.race(inputs[0]) : Promise<Value>.race(inputs[0], inputs[1])
      },
      Combinator("race(enumerating:cancelsLosers:)", row: "Promise.race(enumerating:)", needsAll: false) {
        Promise.race(enumerating: $0)
      },
      Combinator("keyed all(_:onFailure:)") { Promise.all(keyed($0), onFailure: .cancelRemaining) },
      Combinator("keyed allSettled(_:atLeast:)") { Promise.allSettled(keyed($0), atLeast: 1) },
      Combinator("keyed any(_:cancelsLosers:)", needsAll: false) { Promise.any(keyed($0), cancelsLosers: true) },
      Combinator("keyed race(_:cancelsLosers:)", needsAll: false) { Promise.race(keyed($0), cancelsLosers: true) },
    ]
  }

  private static func keyed(_ inputs: [Promise<Value>]) -> [Int: Promise<Value>] {
    Dictionary(uniqueKeysWithValues: zip(0..., inputs))
  }
}
