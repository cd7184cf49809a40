import TestSupport
import Testing

extension WaitError {
  /// The limit of a wait that has timed out, its promise, and the lines on what the promise waits for.
  var timeoutDetails: (limit: Duration, promise: String, lines: [String])? {
    if case .timedOut(let limit, let promise, let lines) = self { (limit, promise, lines) } else { nil }
  }

  /// The promise of a wait in a world where nothing more can happen, and the lines on what the promise waits for.
  var stuckDetails: (promise: String, lines: [String])? {
    if case .stuck(let promise, let lines) = self { (promise, lines) } else { nil }
  }

  /// The pending promises of async code that cannot go on.
  var pendingOfCode: [String]? {
    if case .codeStuck(let pending) = self { pending } else { nil }
  }
}

/// Returns the error of a wait, and expects it to be a `WaitError`.
@discardableResult
func waitError(_ body: () throws -> Void) -> WaitError? { #expect(throws: WaitError.self) { try body() } }

/// Returns the failure of an exploration or a replay, and expects it to fail.
func failure(_ body: () throws -> Void) -> ScheduleFailure? { #expect(throws: ScheduleFailure.self) { try body() } }

/// Returns the steps of a test. The test fails on purpose, so that its steps are reported.
func scheduledSteps(_ body: (TestWorld) throws -> Void) -> [ScheduledStep] {
  let failing = failure {
    try TestWorld.replay(choices: [], checking: []) { world in
      try body(world)
      world.expect(false)
    }
  }
  return failing?.steps ?? []
}

/// Numbers without a lock. Only handlers that never overlap may use them.
final class Unprotected: @unchecked Sendable {
  // `@unchecked`, because the tests check that handlers do not overlap.
  private(set) var count = 0
  private var inside = 0
  private(set) var most = 0

  /// Counts a visit slowly, so that an overlapping handler would interfere.
  func visit() {
    inside += 1
    most = max(most, inside)
    let before = count
    for _ in 0..<200 where inside < 1 { most = .max }
    count = before + 1
    inside -= 1
  }
}

/// A place for a value that an earlier closure uses.
final class Box<Content: Sendable>: Sendable {
  private let content = Locked<Content?>(nil)
  var value: Content? {
    get { content.withLock { $0 } }
    set {
      let old = content.withLock { content in
        defer { content = newValue }
        return content
      }
      withExtendedLifetime(old) {}
    }
  }
}

/// A weak reference to an object.
final class WeakBox: Sendable {
  private struct Reference { weak var object: AnyObject? }
  private let reference = Locked(Reference())
  var object: AnyObject? {
    get { reference.withLock { $0.object } }
    set { reference.withLock { $0.object = newValue } }
  }
}

extension TestClock {
  /// The time since the world began.
  var time: Duration { now.offset }
}

extension TestWorld {
  /// The time since the world began.
  var time: Duration { clock.time }

  /// Makes a promise that the clock of the world settles.
  func number(_ value: Int, after delay: Duration, fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Int> {
    let owner = run { Deferred<Int>(fileID: fileID, line: line) }
    clock.schedule(after: delay) { owner.fulfill(value) }
    return owner.promise
  }

  /// Schedules a job on the pool that schedules itself again, until the world ends or the returned box is emptied.
  func scheduleEndlessWork() -> Box<@Sendable () -> Void> {
    let again = Box<@Sendable () -> Void>()
    let first: @Sendable () -> Void = { [weak self, weak again] in
      guard let self, let next = again?.value else { return }
      job(on: pool, next)
    }
    again.value = first
    job(on: pool, first)
    return again
  }

  /// Runs numbered jobs on the pool, and returns their order.
  func orderOfJobs(_ count: Int) -> [Int] {
    let log = Log<Int>()
    for number in 0..<count { job(on: pool) { log.append(number) } }
    runUntilIdle()
    return log.entries
  }

  /// Runs the closure as a job of the context.
  func job(on context: any ExecutionContext, _ body: @escaping @Sendable () -> Void) {
    _ = run { Promise.run(on: context, body) }
  }
}
