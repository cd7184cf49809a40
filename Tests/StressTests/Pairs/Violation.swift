/// A rule that a round broke.
struct Violation: Error, CustomStringConvertible {
  let description: String

  /// Throws unless the rule holds.
  static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: rule()) }
  }
}
