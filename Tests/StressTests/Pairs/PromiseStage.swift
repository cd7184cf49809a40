import Foundation
import PromiseContexts
import TestSupport

/// What a round of two operations on promises shares, and what it must come to, whatever came first.
final class PromiseStage: Sendable {
  let context: ManualContext
  let timers = HandTimers()
  let census = Tracked.Census()
  private let props = Locked(Props())

  /// Held until the round is over.
  private struct Props {
    var errors = 0
    var owners: [Deferred<Tracked>] = []
    var made: [AnyPromise] = []
    var executors: [ManualExecutor] = []
    var checks: [@Sendable () throws -> Void] = []
  }

  init(round: Int) { context = ManualContext(isGrouping: round % 4 < 2) }

  // MARK: What operations need

  /// No two are equal.
  func error() -> TestError {
    props.withLock {
      $0.errors += 1
      return TestError($0.errors)
    }
  }

  /// Another promise, which is fulfilled when the race is over.
  func other() -> Deferred<Tracked> {
    let owner = Deferred<Tracked>()
    props.withLock { $0.owners.append(owner) }
    return owner
  }

  func value() -> Tracked { Tracked(census) }

  /// A Task runs there when its thread tells it to, and then when the race is over.
  func executor() -> ManualExecutor {
    let executor = ManualExecutor()
    props.withLock { $0.executors.append(executor) }
    return executor
  }

  /// What a side has made: must be settled when all is over.
  func keep(_ made: AnyPromise) { props.withLock { $0.made.append(made) } }

  /// What must hold when all is over.
  func check(_ check: @escaping @Sendable () throws -> Void) { props.withLock { $0.checks.append(check) } }

  // MARK: The end

  /// Brings everything to its end, in one thread, checks it, and lets all go.
  func conclude(_ nodes: [Node]) throws {
    for owner in props.withLock({ $0.owners }) { owner.fulfill(value()) }
    for node in nodes {
      node.owner?.take()?.fulfill(value())
      node.takeJob()?.run()
    }
    while context.runUntilIdle() + props.withLock({ $0.executors }).reduce(0, { $0 + $1.runUntilIdle() }) > 0 {}
    for node in nodes { try Violation.unless(!node.isPending, "a promise is pending in the end") }
    let made = props.withLock { $0.made }
    try Violation.unless(made.allSatisfy { !$0.isPending }, "what was made is pending in the end")
    for check in props.withLock({ $0.checks }) { try check() }
    try Violation.unless(timers.count == 0, "a timer is left")
    for node in nodes { node.promise.drop() }
    let all = props.withLock { props in
      defer { props = Props() }
      return props
    }
    withExtendedLifetime(all) {}
  }

  /// After that, when the caller has let go of what it held. A hook that an expired limit has made due runs on the pool
  /// (rule 4.5), which releases it when it has run.
  func checkReleased() throws {
    var patience = 1_000_000
    while census.living > 0, patience > 0 {
      patience -= 1
      sched_yield()
    }
    try Violation.unless(census.living == 0, "\(census.living) objects are left")
  }
}
