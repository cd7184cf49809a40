/// A number that a ``Gauge`` found.
struct Figure: Sendable {
  /// The gauge, what is counted, and of what: "M1 promise bytes".
  let name: String
  let value: Int
  /// The highest that meets the goal; `nil`: none is set.
  let goal: Int?
  /// A figure of GCD is there for orientation.
  var subject = Subject.Name.promise

  var verdict: String {
    guard let goal else { return "" }
    return value <= goal ? "met" : "missed by \(value - goal)"
  }
}
