import TestSupport

/// Compares a program on promises with the same program on the model.
struct Comparison {
  enum Verdict: Equatable {
    /// The promises did the same as the model, step by step, or in another order where the contract promises none.
    case same, sameInAnotherOrder
    /// The contract leaves open how the program continues. The remaining steps were not compared.
    case open
    case tooManyOrders
    case different(String)
  }

  let verdict: Verdict

  /// Takes the program on promises and on the model. Tests of the comparison pass a fault or a broken rule.
  ///
  /// - Parameters:
  ///   - fault: Replaces a step that the promises take.
  ///   - brokenRule: A rule that the model does not keep.
  init(_ program: [Step], fault: (Step) -> Step? = { $0 }, breaking brokenRule: BrokenRule? = nil) {
    let machine = Machine()
    let seen = Machine.$current.withValue(machine) { Self.observations(of: program, by: machine, fault) }
    let end = Ending(unhandled: machine.unhandled, left: machine.left)
    verdict = Self.verdict(on: seen, end, Model(breaking: brokenRule))
  }

  /// The first difference, if any.
  var difference: String? { if case .different(let difference) = verdict { difference } else { nil } }

  /// The observations after everything has been released.
  private struct Ending {
    let unhandled: [Int]
    let left: (promises: Int, captures: Int)
  }

  private static func observations(of program: [Step], by machine: Machine, _ fault: (Step) -> Step?) -> [Observation] {
    var seen = program.map { machine.observation(of: $0, taking: fault($0)) }
    for promise in machine.owned { seen.append(machine.observation(of: .dropOwner(promise))) }
    // Some promises are released before the last handlers run. The others show whether they finish.
    for promise in machine.held where promise.isMultiple(of: 2) { seen.append(machine.observation(of: .drop(promise))) }
    seen += machine.observationsOfRest()
    for promise in machine.held { seen.append(machine.observation(of: .drop(promise))) }
    return seen + machine.observationsOfRest()
  }

  private static func verdict(on seen: [Observation], _ end: Ending, _ start: Model) -> Verdict {
    var model = start
    for (index, observation) in seen.enumerated() {
      let answer = model.perform(observation.step, seen: observation.events)
      if model.isOpen { return .open }
      guard let found = model.difference(from: observation, answer: answer) else { continue }
      let step = "step \(index), \(observation.step), events \(observation.events)"
      return inAnotherOrder(seen, end, start) ?? .different("\(step): \(found)")
    }
    if end.left != (0, 0) {
      return .different("\(end.left.promises) promises and \(end.left.captures) captures are alive at the end")
    }
    if let unfinished = model.unfinished { return .different("\(unfinished) never finishes") }
    if model.allows(unhandled: end.unhandled) { return .same }
    let expected = "\(model.unhandled) and the sites \(model.otherReports.map(\.site))"
    return inAnotherOrder(seen, end, start)
      ?? .different("unhandled at the end: \(end.unhandled), but the model says \(expected)")
  }

  /// Returns `nil` if no other order explains the observations.
  private static func inAnotherOrder(_ seen: [Observation], _ end: Ending, _ start: Model) -> Verdict? {
    var orders = Orders(from: start)
    for observation in seen {
      orders.take(observation)
      if orders.isOpen { return .open }
      if orders.models.isEmpty { break }
    }
    if orders.models.contains(where: { $0.allows(unhandled: end.unhandled) }) { return .sameInAnotherOrder }
    return orders.areTooMany ? .tooManyOrders : nil
  }
}

extension Machine {
  fileprivate func observation(of step: Step) -> Observation { observation(of: step, taking: step) }

  /// Runs everything that is left on the contexts.
  fileprivate func observationsOfRest() -> [Observation] {
    var seen: [Observation] = []
    var context = 0
    var idle = 0
    while idle < Step.countOfContexts - 1 {
      let found = observation(of: .run(context))
      idle = found.events.isEmpty ? idle + 1 : 0
      if found.events.isEmpty { context = (context + 1) % (Step.countOfContexts - 1) }
      seen.append(found)
    }
    return seen
  }
}
