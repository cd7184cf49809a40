/// Which of the steps that could be next is next. They are numbered from the one that has waited longest.
enum StepOrder {
  /// Always the one that has waited longest.
  case natural
  case random(RandomOrder)
  case fixed(FixedOrder)

  /// - Parameter count: how many there are, at least one.
  mutating func choose(from count: Int) -> Int {
    switch self {
    case .natural: return 0
    case .random(var order):
      defer { self = .random(order) }
      return order.choose(from: count)
    case .fixed(var order):
      defer { self = .fixed(order) }
      return order.choose(from: count)
    }
  }
}

/// An order that a seed determines.
///
/// Steps chosen evenly seldom let one chain run to its end before another begins, or hold one back for long, and many bugs want
/// just that. So half of the seeds mostly take the newest step, or mostly the oldest.
struct RandomOrder {
  private enum Taste { case even, newest, oldest }

  private var random: Seeded
  private let taste: Taste

  init(seed: UInt64) {
    random = Seeded(seed)
    switch random.next() % 4 {
    case 0: taste = .newest
    case 1: taste = .oldest
    default: taste = .even
    }
  }

  mutating func choose(from count: Int) -> Int {
    // Asked even where there is no choice, so that what has no effect has none on what comes after either.
    let number = random.next()
    guard count > 1 else { return 0 }
    let isFollowingTaste = number >> 62 != 0
    switch taste {
    case .newest where isFollowingTaste: return count - 1
    case .oldest where isFollowingTaste: return 0
    default: return Int((number & 0xFFFF_FFFF) % UInt64(count))
    }
  }
}

/// Given choices, then always the step that has waited longest. Says what there was to choose from.
struct FixedOrder {
  /// One for each time that there was a choice.
  struct Choice {
    var taken: Int
    let count: Int
  }

  private let prefix: [Int]
  private(set) var made: [Choice] = []
  /// A given choice was not there: the run is not the one that the choices were taken from.
  private(set) var hasStrayed = false

  init(_ prefix: [Int] = []) { self.prefix = prefix }

  mutating func choose(from count: Int) -> Int {
    guard count > 1 else { return 0 }
    var taken = made.count < prefix.count ? prefix[made.count] : 0
    if taken >= count {
      hasStrayed = true
      taken = 0
    }
    made.append(Choice(taken: taken, count: count))
    return taken
  }

  /// The choices of the next run that differs, the last possible choice first; `nil`: all were made.
  var next: [Int]? {
    var choices = made
    while let last = choices.popLast() {
      if last.taken + 1 < last.count { return choices.map(\.taken) + [last.taken + 1] }
    }
    return nil
  }
}
