import PromiseCore
import TestSupport

/// A program, taken on the model and on promises, side by side.
struct Comparison {
  /// What is different first.
  private(set) var difference: String?
  /// The contract left something open, and the rest of the program was not looked at.
  private(set) var isAmbiguous = false

  private var model = Model()
  private let machine = Machine()

  /// - Parameter fault: what the promises do in the place of a step: for tests of the comparison.
  init(_ program: [Step], fault: (Step) -> Step? = { $0 }) {
    for (index, step) in program.enumerated() {
      take(step, fault)
      if isAmbiguous { break }
      guard let found = difference else { continue }
      difference = "step \(index), \(step): \(found)"
      break
    }
    let left = machine.finish()
    if difference == nil, left != (0, 0) {
      difference = "\(left.promises) promises and \(left.captures) captures are alive at the end"
    }
  }

  private mutating func take(_ step: Step, _ fault: (Step) -> Step?) {
    let answer = fault(step).flatMap(machine.perform)
    let events = machine.takeEvents()
    let expected = model.perform(step, seen: events)
    isAmbiguous = model.isAmbiguous
    if isAmbiguous { return }
    if answer != expected { return differ("answers", answer as Any, expected as Any) }
    if Self.sorted(events) != Self.sorted(model.visibleEvents) { return differ("events", events, model.visibleEvents) }
    comparePromises()
    compareCaptures()
  }

  private mutating func comparePromises() {
    for (number, node) in model.nodes.enumerated() where node.isHeld {
      guard let promise = machine.promise(number) else { continue }
      let outcome = Outcome(promise)
      if outcome != node.outcome { return differ("promise \(number)", outcome as Any, node.outcome as Any) }
    }
  }

  private mutating func compareCaptures() {
    let living = machine.captures
    for (number, handler) in model.handlers.enumerated() {
      for (half, count) in living[number].enumerated() {
        guard let expected = model.isAlive(handler, errorHalf: half == 1), expected != (count == 1) else { continue }
        return differ("captures of handler \(number), half \(half)", count, expected ? 1 : 0)
      }
    }
  }

  private mutating func differ(_ what: String, _ found: some Any, _ expected: some Any) {
    if difference == nil { difference = "\(what): \(found), but the model says \(expected)" }
  }

  /// The order of hooks of different promises is nobody's business.
  private static func sorted(_ events: [Event]) -> [Event] {
    var others: [Event] = []
    var hooks: [Int: [Event]] = [:]
    for event in events {
      if case .hook(let promise, _, _) = event {
        hooks[promise, default: []].append(event)
      } else {
        others.append(event)
      }
    }
    return hooks.isEmpty ? events : others + hooks.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}

extension Outcome {
  init?(_ promise: Promise<Int>) {
    switch promise.state {
    case .pending: return nil
    case .fulfilled(let value): self = .value(value)
    case .rejected(let error): self = .failure(Failure(error), isCancelled: promise.isCancelled)
    }
  }
}
