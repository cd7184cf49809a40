import PromiseCombinators
import Synchronization
import TestSupport

/// A gate with guests inside and guests who wait, and what a round of two operations on it must come to.
final class GateStage: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case serial, limit, writers, readers, rate, flight
  }

  typealias Enter = @Sendable (ManualContext, @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int>

  let context = ManualContext()
  let timers = HandTimers()
  let census = Tracked.Census()
  private let enter: Enter
  /// As `enter`, but readers among writers, writers among readers, for another key.
  private let enterOtherwise: Enter
  /// How many may be inside at a time.
  private let places: Int
  private let room = Locked((inside: 0, most: 0))
  private let visits = Log<Visit>()
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
      let gate = Limit(2)
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
      (enter, enterOtherwise, places) = ({ gate.run(1, on: $0, $1) }, { gate.run(2, on: $0, $1) }, 2)
    }
    let (enter, context, census, room, visits) = (enter, context, census, room, visits)
    let come: @Sendable () -> Promise<Int> = {
      enter(context) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { Visit(room, visits).promise } }
    }
    inside = come()
    context.runUntilIdle()
    waiting = (0..<3).map { _ in come() }
    results.withLock { $0 = [inside] + waiting }
  }

  func come(otherwise: Bool = false) -> Promise<Int> {
    let result = (otherwise ? enterOtherwise : enter)(context) { [self, tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { Visit(room, visits).promise }
    }
    results.withLock { $0.append(result) }
    return result
  }

  /// Who is inside has done what it came for.
  func end(failing: Bool = false) { for visit in visits.entries { visit.end(failing: failing) } }

  /// Lets all in, one after the other, and out again.
  func conclude() throws {
    var turns = 0
    repeat {
      context.runUntilIdle()
      end()
      timers.ring()
      turns += 1
    } while turns < 20 && results.withLock { $0.contains(where: \.isPending) }
    context.runUntilIdle()
    try Violation.unless(turns < 20, "somebody waits for ever")
    try Violation.unless(room.withLock { $0.inside == 0 && $0.most <= places }, "inside: \(room.withLock { $0 })")
    try Violation.unless(context.count == 0, "a handler is left")
    try Violation.unless(census.living == 0, "\(census.living) closures are left")
  }
}

/// Somebody inside.
private final class Visit: Sendable {
  private let owner = Deferred<Int>()
  private let hasLeft = Atomic<Bool>(false)
  private let room: Locked<(inside: Int, most: Int)>

  init(_ room: Locked<(inside: Int, most: Int)>, _ visits: Log<Visit>) {
    self.room = room
    room.withLock {
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
    owner.onCancel { [self] _ in leave() }
    visits.append(self)
  }

  var promise: Promise<Int> { owner.promise }

  func end(failing: Bool) {
    // Before its place is free.
    leave()
    if failing { owner.reject(TestError()) } else { owner.fulfill(1) }
  }

  private func leave() {
    if !hasLeft.exchange(true, ordering: .relaxed) { room.withLock { $0.inside -= 1 } }
  }
}
