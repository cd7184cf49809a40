/// A number that a ``Gauge`` found.
struct Figure: Sendable {
  /// The gauge, what is counted, and of what: "M1 promise bytes".
  let name: String
  let value: Int
  /// The highest that meets the goal.
  let goal: Int

  var verdict: String { value <= goal ? "met" : "missed by \(value - goal)" }
}
