import PromiseTesting

/// What happened in one run of a program, and which rules it broke.
final class RunLog: Sendable {
  struct Violation: Equatable, Sendable, CustomStringConvertible {
    let rule: String
    let text: String
    var description: String { "rule \(rule): \(text)" }
  }

  private struct State {
    var events: [String] = []
    var violations: [Violation] = []
    /// How often each handler and closure was called.
    var calls: [String: Int] = [:]
    /// The most calls that each may have.
    var limits: [String: (most: Int, rule: String)] = [:]
  }

  private let state = Locked(State())

  var events: [String] { state.withLock(\.events) }
  var violations: [Violation] { state.withLock(\.violations) }

  func note(_ event: String) { state.withLock { $0.events.append(event) } }

  func violate(_ rule: String, _ text: String) {
    state.withLock { $0.violations.append(Violation(rule: rule, text: text)) }
  }

  /// Notes a violation unless the condition holds.
  func require(_ condition: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !condition { violate(rule, text()) }
  }

  /// Counts a call of a closure of the program. A call beyond its limit is a violation.
  func called(_ name: String) {
    let violation: Violation? = state.withLock { state in
      state.events.append(name)
      let count = state.calls[name, default: 0] + 1
      state.calls[name] = count
      guard let limit = state.limits[name], count > limit.most else { return nil }
      return Violation(rule: limit.rule, text: "\(name) was called \(count) times, and \(limit.most) were allowed")
    }
    if let violation { violate(violation.rule, violation.text) }
  }

  func calls(of name: String) -> Int { state.withLock { $0.calls[name, default: 0] } }

  /// Allows at most this many calls in all. The lowest limit holds.
  func limit(_ name: String, to most: Int, _ rule: String) {
    state.withLock { state in
      if let limit = state.limits[name], limit.most <= most { return }
      state.limits[name] = (most, rule)
    }
  }

  /// Allows this many calls from now on.
  func limit(_ name: String, toFurther count: Int, _ rule: String) {
    limit(name, to: calls(of: name) + count, rule)
  }
}
