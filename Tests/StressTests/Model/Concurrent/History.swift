/// The observations of one run of a concurrent program.
struct History: Hashable, Sendable {
  /// The answer of a step, and its events.
  struct Observation: Hashable, Sendable {
    var answer: Bool?
    var events: [Event]
  }

  /// A step that was taken after the threads had ended, with its observation.
  struct Late: Hashable, Sendable {
    let step: Step
    let seen: Observation
  }

  var threads: [[Observation]]
  var tail: [Late] = []
  /// The outcomes of all promises at the end.
  var outcomes: [Outcome?] = []
  /// How often the hooks of each promise ran.
  var hooks: [Int: Int] = [:]
  /// The number of promises and captures that are alive after everything has been released.
  var countOfLeft = 0
  /// How an observer has seen a rule of progress broken.
  var differenceOfProgress: String?
}

extension Event {
  var isHook: Bool { if case .hook = self { true } else { false } }

  /// The event without the promise that a cycle error names. Two threads that close a ring together may both have found
  /// it (rule 3.2).
  var withoutCycle: Event {
    switch self {
    case .ran(let handler, .failure(let failure)): .ran(handler: handler, .failure(failure.withoutCycle))
    default: self
    }
  }
}

extension Outcome {
  var withoutCycle: Outcome {
    switch self {
    case .failure(let failure, let isCancelled): .failure(failure.withoutCycle, isCancelled: isCancelled)
    case .value: self
    }
  }
}

extension Outcome.Failure {
  fileprivate var isCycle: Bool { if case .cycle = self { true } else { false } }
  var withoutCycle: Outcome.Failure { isCycle ? .cycle(-1) : self }
}

extension History: CustomStringConvertible {
  var description: String {
    let late = tail.filter { !$0.seen.events.isEmpty || $0.seen.answer != nil }.map { "\($0.step) \($0.seen)" }
    let ends = outcomes.map { $0.map { "\($0)" } ?? "nil" }
    return "\(threads), then \(late), at the end \(ends), hooks \(hooks)"
  }
}

extension History.Observation: CustomStringConvertible {
  var description: String { (answer.map { ["\($0)"] } ?? []).joined() + (events.isEmpty ? "" : "\(events)") }
}
