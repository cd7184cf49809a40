import TestSupport
import Testing

/// 2.2.1, 2.2.7.3 and 2.2.7.4: checks that a derived promise without a handler for the outcome has that outcome without
/// a hop.
func expectPassedThrough(_ form: Form, _ outcome: Outcome, _ settling: Settling, links: Int = 1) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let derived = settling.settle(as: outcome) { promise in
    var derived = promise
    for _ in 0..<links { derived = form.attach(to: derived, on: context) { seen.append($0, returning: 9) } }
    return derived
  }
  expect(derived, shows: outcome)
  #expect(context.runUntilIdle() == 0)
  #expect(seen.entries == [])
  expect(derived, shows: outcome)
}

/// Attaches a link, and checks its promise before and after the handler has run.
func expectDerived(
  _ form: Form, of outcome: Outcome, _ settling: Settling, shows expected: Outcome,
  _ handler: @escaping @Sendable (Outcome) throws -> Int
) {
  let context = ManualContext()
  let derived = settling.settle(as: outcome) { form.attach(to: $0, on: context, handler) }
  expect(derived, shows: .pending)
  context.runUntilIdle()
  expect(derived, shows: expected)
}
