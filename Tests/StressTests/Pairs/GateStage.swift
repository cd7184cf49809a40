import PromiseGates
import TestSupport

/// A gate with callers inside and callers that wait, and the checks after a round of two operations on it.
final class GateStage: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case serial, limit, writers, readers, rate, flight
  }

  typealias Enter = @Sendable (ManualContext, @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int>

  let context = ManualContext()
  let timers = HandTimers()
  let census = Tracked.Census()
  private let enter: Enter
  /// Enters as a reader among writers, as a writer among readers, or for another key.
  private let enterOtherwise: Enter
  /// The number of callers that may be inside at a time.
  private let places: Int
  /// Whether callers are alone inside, if they enter in the first or in the other way.
  private let isAlone: (first: Bool, otherwise: Bool)
  private let counter = InsideCounter()
  private let results = Locked<[Promise<Int>]>([])
  let inside: Promise<Int>
  let waiting: [Promise<Int>]

  init(_ kind: Kind) {
    switch kind {
    case .serial:
      let gate = SerialGate()
      (enter, places) = ({ gate.run(on: $0, $1) }, 1)
      enterOtherwise = enter
    case .limit:
      let gate = ConcurrencyLimit(2)
      (enter, places) = ({ gate.run(on: $0, $1) }, 2)
      enterOtherwise = enter
    case .writers:
      let gate = ReadersWriterGate()
      (enter, enterOtherwise, places) = ({ gate.write(on: $0, $1) }, { gate.read(on: $0, $1) }, 10)
    case .readers:
      let gate = ReadersWriterGate()
      (enter, enterOtherwise, places) = ({ gate.read(on: $0, $1) }, { gate.write(on: $0, $1) }, 10)
    case .rate:
      let gate = RateLimit(2, per: .seconds(1), timers: timers)
      (enter, places) = ({ gate.run(on: $0, $1) }, 10)
      enterOtherwise = enter
    case .flight:
      let gate = SingleFlight<Int, Int>()
      (enter, enterOtherwise, places) = ({ gate.run(for: 1, on: $0, $1) }, { gate.run(for: 2, on: $0, $1) }, 2)
    }
    isAlone = (kind == .writers, kind == .readers)
    let enter = enter
    let context = context
    let census = census
    let counter = counter
    let isAlone = isAlone.first
    let come: @Sendable () -> Promise<Int> = {
      enter(context) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { counter.enter(isAlone: isAlone) }
      }
    }
    inside = come()
    context.runUntilIdle()
    waiting = (0..<3).map { _ in come() }
    results.withLock { $0 = [inside] + waiting }
  }

  func come(otherwise: Bool = false) -> Promise<Int> {
    let result = (otherwise ? enterOtherwise : enter)(context) { [self, tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { counter.enter(isAlone: otherwise ? isAlone.otherwise : isAlone.first) }
    }
    results.withLock { $0.append(result) }
    return result
  }

  /// Ends the work of the callers inside.
  func end(failing: Bool = false) {
    for owner in counter.visits { if failing { owner.reject(TestError()) } else { owner.fulfill(1) } }
  }

  /// Lets all callers in and out again, one after another. Checks the gate.
  func conclude() throws {
    var turns = 0
    repeat {
      context.runUntilIdle()
      end()
      timers.ring()
      turns += 1
    } while turns < 20 && (timers.count > 0 || results.withLock { $0.contains(where: \.isPending) })
    context.runUntilIdle()
    try Violation.unless(turns < 20, "a caller or a timer waits for ever")
    try Violation.unless(counter.most <= places, "\(counter.most) were inside")
    try Violation.unless(!counter.wasShared, "a caller that must be alone was not")
    try Violation.unless(counter.visits.allSatisfy { !$0.promise.isPending }, "somebody is inside for ever")
    try Violation.unlessFinished(results.withLock { $0 } + counter.visits.map(\.promise))
    try Violation.unless(context.count == 0, "a handler is left")
    try Violation.unless(census.living == 0, "\(census.living) closures are left")
  }
}

/// Counts the callers that are inside at the same time. A caller is inside while its promise is pending, because its
/// place becomes free at the settlement, before any hook of its owner runs.
private final class InsideCounter: Sendable {
  private struct Content {
    var visits: [Deferred<Int>] = []
    var most = 0
    /// The promises of the callers that must be alone.
    var alone: [Promise<Int>] = []
    var wasShared = false
  }

  private let content = Locked(Content())
  var visits: [Deferred<Int>] { content.withLock(\.visits) }
  var most: Int { content.withLock(\.most) }
  /// Whether a caller that must be alone was inside together with another caller.
  var wasShared: Bool { content.withLock(\.wasShared) }

  func enter(isAlone: Bool) -> Promise<Int> {
    let owner = Deferred<Int>()
    // No caller enters while the lock is held, so every counted caller was inside when the last of them entered.
    content.withLock { content in
      content.visits.append(owner)
      if isAlone { content.alone.append(owner.promise) }
      let inside = content.visits.count { $0.promise.isPending }
      content.most = max(content.most, inside)
      if inside > 1, content.alone.contains(where: \.isPending) { content.wasShared = true }
    }
    return owner.promise
  }
}
