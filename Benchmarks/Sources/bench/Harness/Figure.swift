/// A number that a ``Gauge`` found.
struct Figure: Sendable {
  /// The gauge and the measured quantity, such as "M1 promise bytes".
  let name: String
  let value: Int
  /// The value that the project works towards, or `nil` if there is none.
  var goal: Int?
  /// The measured subject. Figures of GCD are for orientation.
  var subject = Subject.Name.promise

  var verdict: String {
    guard let goal else { return "" }
    return value <= goal ? "met" : "missed by \(value - goal)"
  }
}
