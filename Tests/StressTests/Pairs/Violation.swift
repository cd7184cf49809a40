import Foundation
import PromiseCore
import TestSupport

/// A rule that a round broke.
struct Violation: Error, CustomStringConvertible {
  let description: String

  /// Throws unless the promises, behind which nothing runs any more, have finished (rule 2.11). Some hooks run on the
  /// pool (rule 4.5), so this waits for them.
  static func unlessFinished(_ promises: [AnyPromise]) throws {
    let limit = HangLimit()
    while promises.contains(where: { !$0.isFinished }), !limit.isReached { sched_yield() }
    for promise in promises { try unless(promise.isFinished, "never finishes: \(promise.waitsFor)") }
  }

  /// Throws unless the rule holds.
  static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: rule()) }
  }
}
