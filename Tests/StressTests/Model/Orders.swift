/// The possible states of a model, where the contract promises no order between the effects of a call.
struct Orders {
  private(set) var models: Set<Model>
  /// Whether an order leads to a state that the contract leaves open.
  private(set) var isOpen = false
  /// Whether some orders were not examined.
  private(set) var areTooMany = false
  private static let mostVisited = 500
  private static let mostKept = 8

  init(from model: Model) { models = [model] }

  /// Keeps the models that explain the observation.
  mutating func take(_ seen: Observation) {
    take(seen.step, seen: seen.events) { $0.difference(from: seen, answer: $1) == nil }
  }

  /// Takes a step alone. Keeps the models that explain the observation according to the closure, which also receives
  /// the answer.
  mutating func take(_ step: Step, seen events: [Event], where explains: (Model, Bool?) -> Bool) {
    var kept: Set<Model> = []
    for model in models { follow(model, step, events, explains, into: &kept) }
    models = kept
  }

  private mutating func follow(
    _ model: Model, _ step: Step, _ events: [Event], _ explains: (Model, Bool?) -> Bool, into kept: inout Set<Model>
  ) {
    var begun = model
    let answer = begun.beginAlone(step, seen: events)
    var found = [begun]
    var visited: Set<Model> = []
    while let model = found.popLast() {
      if model.isOpen { isOpen = true }
      if isOpen { return }
      if visited.count > Self.mostVisited || kept.count > Self.mostKept {
        areTooMany = true
        return
      }
      let next = model.successors
      // The last model in the list is examined next, which is the order of the model itself.
      found += next.reversed().filter { visited.insert($0).inserted }
      guard next.isEmpty else { continue }
      var ended = model
      ended.endStep()
      if explains(ended, answer) { kept.insert(ended) }
    }
  }
}

extension Model {
  /// The models after each of the actions that may come next, on the only thread.
  fileprivate var successors: [Model] {
    var model = self
    return model.nextActions(of: 0).map { action in
      var next = model
      next.act(action, on: 0)
      return next
    }
  }
}
