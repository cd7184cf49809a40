/// The rule that chooses the next step among those that are ready.
enum StepOrder {
  /// The step that has waited longest.
  case natural
  case random(RandomOrder)
  case fixed(FixedOrder)

  /// Chooses the next step.
  ///
  /// - Parameters:
  ///   - steps: all that could be next, at least one.
  ///   - time: the world's time.
  ///   - ticket: the ticket of a step. The step with the lowest has waited longest.
  mutating func choose(
    from steps: ReadySteps, at time: UInt64, ticket: (ReadySteps.Position) -> UInt64
  ) -> ReadySteps.Position {
    // The order is changed in place, because this enumeration does not retain it meanwhile.
    var current = StepOrder.natural
    swap(&self, &current)
    switch consume current {
    case .natural: return steps.oldest
    case .random(var order):
      defer { self = .random(order) }
      let position = order.choose(from: steps, at: time)
      order.record(position, among: steps, ticket: ticket)
      return position
    case .fixed(var order):
      defer { self = .fixed(order) }
      // Steps are numbered by age, so that the number of a choice does not depend on the contexts.
      return steps.position(byAge: order.choose(from: steps.count), ticket: ticket)
    }
  }

  /// The seed of the random numbers for code in the world, or `nil` for the standard ones.
  var seed: UInt64? {
    switch self {
    case .natural: nil
    case .random(let order): order.seed
    case .fixed(let order): order.seed
    }
  }

  /// The choices that were made among several steps, if they are recorded.
  var choices: [FixedOrder.Choice] {
    switch self {
    case .natural: []
    case .random(let order): order.choices ?? []
    case .fixed(let order): order.made
    }
  }
}

/// An order of given choices. After them, it takes the step that has waited longest. It records each choice with the
/// number of possible steps.
struct FixedOrder {
  /// A choice among several possible steps.
  struct Choice {
    /// The number of the chosen step, counted from the step that has waited longest.
    var taken: Int
    /// The number of possible steps, or `nil` if it is not known.
    var count: Int?
  }

  /// The choices that are given.
  let prefix: [Choice]
  /// The seed of the random numbers for code in the world, or `nil` for the standard ones.
  let seed: UInt64?
  private(set) var made: [Choice] = []
  /// Whether a given choice was not possible, because this run differs from the one in which the choices were made.
  private var hasDiverged = false

  init(_ prefix: [Choice] = [], seed: UInt64? = nil) {
    self.prefix = prefix
    self.seed = seed
  }

  mutating func choose(from count: Int) -> Int {
    guard count > 1 else { return 0 }
    var choice = made.count < prefix.count ? prefix[made.count] : Choice(taken: 0)
    if !(0..<count).contains(choice.taken) || choice.count ?? count != count {
      hasDiverged = true
      choice.taken = 0
    }
    made.append(Choice(taken: choice.taken, count: count))
    return choice.taken
  }

  /// Whether all given choices were possible.
  var matchesPrefix: Bool { !hasDiverged && made.count >= prefix.count }

  /// The choices of the next run, which differs as late as possible, or `nil` if all runs were made.
  var next: [Choice]? {
    var choices = made
    while var last = choices.popLast() {
      last.taken += 1
      if last.taken < last.count ?? 0 { return choices + [last] }
    }
    return nil
  }
}
