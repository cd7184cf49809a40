/// A search for a short form of a failing schedule: one that also fails, and has fewer choices that differ from the
/// default order.
///
/// It is a form of delta debugging. First, groups of choices are replaced by those of the default order, at last one by
/// one. This is fast, but may end at a schedule from which no single choice can be dropped, although a shorter one
/// exists. So then schedules with fewer choices are tried, beginning with those that have one.
struct Shortening {
  /// The greatest number of runs, including two in the order that was found, and one for the result.
  static let mostRuns = 200

  /// Runs the test with these choices, as far as they are possible, and then in the default order.
  typealias Run = (_ choices: [Int], _ isRecording: Bool) -> Attempt

  /// The shortest failing run that was found.
  private var best: Attempt { didSet { places = best.places } }
  /// The places of its choices that differ from the default order.
  private var places: [Int]
  private var runs = 2

  /// Returns a short form of a failing run, with its steps. Returns `nil` if the test does not fail again, because it
  /// is not deterministic.
  ///
  /// - Complexity: at most ``mostRuns`` runs.
  static func shortForm(of failure: Attempt, _ run: Run) -> Attempt? {
    let again = run(failure.choices, false)
    guard again.error != nil else { return nil }
    var shortening = Shortening(best: again)
    shortening.dropGroups(run)
    shortening.tryFewest(run)
    let result = run(shortening.best.choices, true)
    return result.error == nil ? nil : result
  }

  private init(best: Attempt) {
    self.best = best
    places = best.places
  }

  /// Whether only the run of the result is left.
  private var isExhausted: Bool { runs >= Self.mostRuns - 1 }

  /// Replaces chosen steps by those of the default order, in groups that become smaller.
  private mutating func dropGroups(_ run: Run) {
    var size = places.count
    while size > 0 {
      let count = places.count
      var end = count
      while end > 0, !isExhausted {
        let start = max(end - size, 0)
        var choices = best.choices
        for place in places[start..<end] { choices[place] = 0 }
        attempt(choices, run)
        end = min(start, places.count)
      }
      // Single choices are tried again as long as one of them can be dropped.
      size = size > 1 ? size / 2 : places.count < count ? 1 : 0
    }
  }

  /// Tries schedules with fewer chosen steps than the shortest one has. Those with fewest are tried first.
  private mutating func tryFewest(_ run: Run) {
    if places.count < 2 || isExhausted { return }
    let natural = attempt([], run)
    var tried = [(start: 0, chosen: 0, choices: natural.order.choices)]
    var index = 0
    while index < tried.count {
      let (start, chosen, choices) = tried[index]
      index += 1
      for place in choices.indices.dropFirst(start) {
        for taken in 1..<(choices[place].count ?? 1) {
          if isExhausted || chosen + 1 >= places.count { return }
          let attempt = attempt(choices[..<place].map(\.taken) + [taken], run)
          tried.append((place + 1, chosen + 1, attempt.order.choices))
        }
      }
    }
  }

  /// Keeps a run if it fails with an error of the same type, and has fewer choices that differ from the default order.
  @discardableResult
  private mutating func attempt(_ choices: [Int], _ run: Run) -> Attempt {
    runs += 1
    let attempt = run(choices, false)
    guard let error = best.error, let newError = attempt.error, type(of: error) == type(of: newError) else {
      return attempt
    }
    if attempt.places.count < places.count { best = attempt }
    return attempt
  }
}

extension Attempt {
  /// The places of the choices that differ from the default order.
  fileprivate var places: [Int] {
    let choices = choices
    return choices.indices.filter { choices[$0] != 0 }
  }
}
