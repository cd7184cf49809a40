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
    switch self {
    case .natural: return steps.oldest
    case .random(var order):
      defer { self = .random(order) }
      return order.choose(from: steps, at: time)
    case .fixed(var order):
      defer { self = .fixed(order) }
      // Steps are numbered by age, so that the number of a choice does not depend on the contexts.
      return steps.position(byAge: order.choose(from: steps.count), ticket: ticket)
    }
  }
}

/// An order that a seed determines.
///
/// An even choice seldom lets one chain run to its end before another begins, and seldom delays one chain for long.
/// Many bugs occur only in such orders. So half of the seeds prefer the newest or the oldest step.
///
/// If an event could come at every step, it would hardly ever come late, because there are many steps. So a time is
/// drawn for each event, before which it does not come. Short times are as likely as long ones, because the time of an
/// event may be much longer than the timers of the code.
struct RandomOrder {
  private enum Preference { case even, newest, oldest }

  let seed: UInt64
  private var random: Seeded
  private let preference: Preference
  /// The times before which events do not come, by the tickets of the events.
  private var wakeTimes: [UInt64: UInt64] = [:]

  init(seed: UInt64) {
    self.seed = seed
    random = Seeded(seed)
    switch random.next() % 4 {
    case 0: preference = .newest
    case 1: preference = .oldest
    default: preference = .even
    }
  }

  mutating func choose(from steps: ReadySteps, at time: UInt64) -> ReadySteps.Position {
    // A number is drawn even if there is only one step, so that each choice uses exactly one number.
    let number = random.next()
    let steps = steps.runs.contains(where: \.isEvent) ? awake(steps, at: time) : steps
    guard steps.count > 1 else { return steps.oldest }
    let followsPreference = number >> 62 != 0
    switch preference {
    case .newest where followsPreference: return steps.newest
    case .oldest where followsPreference: return steps.oldest
    default: return steps.position(at: Int((number & 0xFFFF_FFFF) % UInt64(steps.count)))
    }
  }

  /// Returns the steps without the events whose time has not come. At least one is left, because there is always a
  /// choice that is no event.
  private mutating func awake(_ steps: ReadySteps, at time: UInt64) -> ReadySteps {
    var awake = ReadySteps()
    for run in steps.runs {
      if case .event(_, let deadline) = run.source, deadline > time {
        let wakeTime = wakeTimes[run.oldest] ?? drawTime(from: time, to: deadline)
        wakeTimes[run.oldest] = wakeTime
        if time < wakeTime { continue }
      }
      awake.append(run)
    }
    return awake
  }

  private mutating func drawTime(from start: UInt64, to deadline: UInt64) -> UInt64 {
    let number = random.next()
    let longest = deadline - start
    switch number % 4 {
    case 0: return start
    case 1: return start + 1 + random.next() % longest
    default: return start + 1 + random.next() % max(longest >> (number >> 2 % 16), 1)
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

  private let prefix: [Choice]
  private(set) var made: [Choice] = []
  /// Whether a given choice was not possible, because this run differs from the one in which the choices were made.
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
