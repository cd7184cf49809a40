import Foundation
import TestSupport

/// The objects that a round of two operations on promises shares, and the checks that hold in every order.
final class PromiseStage: Sendable {
  let context: ManualContext
  let timers = HandTimers()
  let census = Tracked.Census()
  private let props = Locked(RetainedObjects())

  /// The objects that are retained until the round is over.
  private struct RetainedObjects {
    var errors = 0
    var owners: [Deferred<Tracked>] = []
    var made: [AnyPromise] = []
    var executors: [ManualExecutor] = []
    var checksBeforeEnd: [@Sendable () throws -> Void] = []
    var checks: [@Sendable () throws -> Void] = []
  }

  init(round: Int) { context = ManualContext(isGrouping: round % 4 < 2) }

  // MARK: Objects for operations

  /// Returns an error that differs from all others of the stage.
  func error() -> TestError {
    props.withLock {
      $0.errors += 1
      return TestError($0.errors)
    }
  }

  /// Returns the owner of another promise, which is fulfilled after the race.
  func other() -> Deferred<Tracked> {
    let owner = Deferred<Tracked>()
    props.withLock { $0.owners.append(owner) }
    return owner
  }

  func value() -> Tracked { Tracked(census) }

  /// Returns an executor for a Task. The thread of the operation runs it, and the stage runs it again after the race.
  func executor() -> ManualExecutor {
    let executor = ManualExecutor()
    props.withLock { $0.executors.append(executor) }
    return executor
  }

  /// Keeps a promise of a side, which must be settled at the end of the round.
  func keep(_ made: AnyPromise) { props.withLock { $0.made.append(made) } }

  /// Adds a check for the time when the race is over, and before the handlers run that it has left.
  func checkBeforeEnd(_ check: @escaping @Sendable () throws -> Void) {
    props.withLock { $0.checksBeforeEnd.append(check) }
  }

  /// Adds a check for the end of the round.
  func check(_ check: @escaping @Sendable () throws -> Void) { props.withLock { $0.checks.append(check) } }

  // MARK: The end

  /// Brings all promises to their end on one thread, checks them, and releases all objects.
  func conclude(_ nodes: [Node]) throws {
    for check in props.withLock({ $0.checksBeforeEnd }) { try check() }
    for owner in props.withLock({ $0.owners }) { owner.fulfill(value()) }
    for node in nodes {
      node.owner?.take()?.fulfill(value())
      node.takeJob()?.run()
    }
    while context.runUntilIdle() + props.withLock({ $0.executors }).reduce(0, { $0 + $1.runUntilIdle() }) > 0 {}
    for node in nodes { try Violation.unless(!node.isPending, "a promise is pending in the end") }
    let made = props.withLock { $0.made }
    try Violation.unless(made.allSatisfy { !$0.isPending }, "what was made is pending in the end")
    try Violation.unlessFinished(nodes.compactMap(\.promise.object) + made)
    for check in props.withLock({ $0.checks }) { try check() }
    try Violation.unless(timers.count == 0, "a timer is left")
    for node in nodes { node.promise.drop() }
    let all = props.withLock { props in
      defer { props = RetainedObjects() }
      return props
    }
    withExtendedLifetime(all) {}
  }

  /// Checks that all objects are released, after the caller has released its own references. An expired limit may have
  /// made a hook due. Such a hook runs on the pool (rule 4.5) and is released after it has run.
  func checkReleased() throws {
    let limit = HangLimit()
    while census.living > 0, !limit.isReached { sched_yield() }
    try Violation.unless(census.living == 0, "\(census.living) objects are left")
  }
}
