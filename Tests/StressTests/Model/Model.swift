/// What promises must do, written as plainly as possible: one thread, no links, no lists of anything but numbers.
///
/// A program is a list of steps on promises 0, 1, …; the model predicts what each call answers, how each promise ends, and
/// what its observers see. Every handler that the steps attach has run before the next step.
struct Model {
  enum Outcome: Equatable, Sendable {
    case value(Int)
    case error(Int)
    case broken(Int)
    case cycle(Int)
  }

  enum Step: Equatable, Sendable {
    case fulfill(Int, Int)
    case reject(Int, Int)
    case follow(Int, Int)
    case attach(Int, Int)
    case dropOwner(Int)
    /// Derives the next promise by a link of a kind, which leaves the outcome as it is.
    case derive(Int, Kind)
    /// Derives the next promise by a `then` or `rescue` whose handler returns the second.
    case adopt(Int, Int, Kind)
  }

  enum Kind: CaseIterable, Sendable { case value, error, both }

  /// An observer saw an outcome: its number, and what it saw.
  struct Sight: Equatable, Sendable {
    let tag: Int
    let outcome: Outcome
  }

  private(set) var outcomes: [Outcome?]
  private(set) var sights: [[Sight]]
  private(set) var hasOwner: [Bool]
  private var observers: [[Int]]
  /// For whom a promise waits, and what becomes of it by that.
  private var waits: [[Wait]]

  private enum Wait: Equatable {
    case copies(Int)
    case adopts(Int, returning: Int, Kind)

    var source: Int {
      switch self {
      case .copies(let source), .adopts(let source, _, _): source
      }
    }
  }

  /// Whether the contract left open how the last step ended, as no order is promised between different promises: one event
  /// reached a promise on two ways that end differently, or a handler closed a ring, or would have closed it but for another
  /// way on which a member of the ring was settled by the same event.
  private(set) var isAmbiguous = false
  private var waitsLeft: [(promise: Int, wait: Wait)] = []
  private var adoptions = 0
  private var before: (outcomes: [Outcome?], waits: [[Wait]]) = ([], [])

  init(count: Int) {
    outcomes = Array(repeating: nil, count: count)
    sights = Array(repeating: [], count: count)
    observers = sights.map { _ in [] }
    waits = sights.map { _ in [] }
    hasOwner = Array(repeating: true, count: count)
  }

  var count: Int { outcomes.count }

  /// What the call answers: `nil` if it does not answer.
  mutating func perform(_ step: Step) -> Bool? {
    (waitsLeft, adoptions, before) = ([], 0, (outcomes, waits))
    switch step {
    case .fulfill(let promise, let number): return settle(promise, .value(number))
    case .reject(let promise, let number): return settle(promise, .error(number))
    case .follow(let promise, let other):
      guard outcomes[promise] == nil else { return false }
      wait(promise, .copies(other))
      return true
    case .attach(let promise, let tag):
      observers[promise].append(tag)
      show(promise)
    case .dropOwner(let promise):
      hasOwner[promise] = false
      if waits[promise].isEmpty { _ = settle(promise, .broken(promise)) }
    case .derive(let parent, _): append(waitingFor: .copies(parent))
    case .adopt(let parent, let other, let kind): append(waitingFor: .adopts(parent, returning: other, kind))
    }
    return nil
  }

  private mutating func append(waitingFor wait: Wait) {
    outcomes.append(nil)
    sights.append([])
    observers.append([])
    waits.append([])
    hasOwner.append(false)
    self.wait(count - 1, wait)
  }

  private mutating func wait(_ promise: Int, _ wait: Wait) {
    if reaches(wait.source, promise) {
      _ = settle(promise, .cycle(promise))
    } else if let outcome = outcomes[wait.source] {
      resolve(promise, wait, outcome)
    } else {
      waits[promise].append(wait)
    }
  }

  private mutating func settle(_ promise: Int, _ outcome: Outcome) -> Bool {
    guard outcomes[promise] == nil else { return false }
    outcomes[promise] = outcome
    if waitsLeft.contains(where: { $0.wait.source == promise && outcomes[$0.promise] != outcome }) {
      isAmbiguous = true
    }
    waitsLeft += waits[promise].map { (promise, $0) }
    waits[promise] = []
    show(promise)
    for other in 0..<count {
      for wait in waits[other] where wait.source == promise && outcomes[other] == nil { resolve(other, wait, outcome) }
    }
    return true
  }

  /// A promise for which another waited has settled.
  private mutating func resolve(_ promise: Int, _ waited: Wait, _ outcome: Outcome) {
    guard case .adopts(_, let other, let kind) = waited, kind.handles(outcome) else {
      _ = settle(promise, outcome)
      return
    }
    waits[promise].removeAll { $0 == waited }
    adoptions += 1
    if mightClose(promise, other) { isAmbiguous = true }
    wait(promise, .copies(other))
  }

  /// Whether a promise waits for another, or is it.
  private func reaches(_ promise: Int, _ other: Int) -> Bool {
    promise == other || outcomes[promise] == nil && waits[promise].contains { reaches($0.source, other) }
  }

  private func mightClose(_ promise: Int, _ other: Int) -> Bool {
    if reaches(other, promise), adoptions > 1 { return true }
    guard before.waits.contains(where: { $0.count > 1 }) else { return false }
    var earlier = self
    (earlier.outcomes, earlier.waits) = before
    // A promise that this very step derived was waiting for nobody before.
    return max(promise, other) < earlier.count && earlier.reaches(other, promise)
  }

  private mutating func show(_ promise: Int) {
    guard let outcome = outcomes[promise] else { return }
    sights[promise] += observers[promise].map { Sight(tag: $0, outcome: outcome) }
    observers[promise] = []
  }
}

extension Model.Kind {
  func handles(_ outcome: Model.Outcome) -> Bool {
    if case .value = outcome { return self != .error }
    return self != .value
  }
}
