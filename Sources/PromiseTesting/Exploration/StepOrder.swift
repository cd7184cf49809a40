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
  ///   - ticket: the ticket of a step. The step with the lowest has waited longest.
  mutating func choose(from steps: ReadySteps, ticket: (ReadySteps.Position) -> UInt64) -> ReadySteps.Position {
    switch self {
    case .natural: return steps.oldest
    case .random(var order):
      defer { self = .random(order) }
      return order.choose(from: steps)
    case .fixed(var order):
      defer { self = .fixed(order) }
      // Numbered from the one that has waited longest, so that a choice means the same wherever it stands.
      return steps.position(byAge: order.choose(from: steps.count), ticket: ticket)
    }
  }
}

/// An order that a seed determines.
///
/// Steps chosen evenly seldom let one chain run to its end before another begins, or hold one back for long, and many bugs want
/// just that. So half of the seeds mostly take the newest step, or mostly the oldest.
struct RandomOrder {
  private enum Preference { case even, newest, oldest }

  private var random: Seeded
  private let preference: Preference

  init(seed: UInt64) {
    random = Seeded(seed)
    switch random.next() % 4 {
    case 0: preference = .newest
    case 1: preference = .oldest
    default: preference = .even
    }
  }

  mutating func choose(from steps: ReadySteps) -> ReadySteps.Position {
    // Asked even where there is no choice, so that what has no effect has none on what comes after either.
    let number = random.next()
    guard steps.count > 1 else { return steps.oldest }
    let followsPreference = number >> 62 != 0
    switch preference {
    case .newest where followsPreference: return steps.newest
    case .oldest where followsPreference: return steps.oldest
    default: return steps.position(at: Int((number & 0xFFFF_FFFF) % UInt64(steps.count)))
    }
  }
}

/// Given choices, then always the step that has waited longest. Says what there was to choose from.
struct FixedOrder {
  /// One for each time that there was a choice.
  struct Choice {
    /// Numbered from the step that has waited longest.
    var taken: Int
    /// The number of possible steps, or `nil` if it is not known.
    var count: Int?
  }

  private let prefix: [Choice]
  private(set) var made: [Choice] = []
  /// Whether a given choice was not possible, because the run is not the one that the choices were taken from.
  private var hasDiverged = false

  init(_ prefix: [Choice] = []) { self.prefix = prefix }

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

  /// All given choices were there.
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
