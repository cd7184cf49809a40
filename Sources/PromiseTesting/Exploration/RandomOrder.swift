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
  /// The choices among several steps, with which a ``FixedOrder`` repeats this order, or `nil` if they are not
  /// recorded.
  private(set) var choices: [FixedOrder.Choice]?

  init(seed: UInt64, isRecording: Bool = false) {
    self.seed = seed
    choices = isRecording ? [] : nil
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

  /// Records a choice, if choices are recorded.
  ///
  /// - Complexity: O(*n*), where *n* is the number of steps.
  mutating func record(
    _ position: ReadySteps.Position, among steps: ReadySteps, ticket: (ReadySteps.Position) -> UInt64
  ) {
    guard choices != nil, steps.count > 1 else { return }
    let older = (0..<steps.count).count { ticket(steps.position(at: $0)) < ticket(position) }
    choices?.append(FixedOrder.Choice(taken: older, count: steps.count))
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
    default: return start + 1 + random.next() % max(longest >> ((number >> 2) % 16), 1)
    }
  }
}
