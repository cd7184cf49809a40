package import PromiseTesting
package import TestSupport

/// A promise whose type a test does not know.
private protocol TypedPromise {
  func droppingValue() -> Promise<Void>
  func appendProgress(to log: Log<Double>, on context: any ExecutionContext)
}

extension Promise: TypedPromise {
  fileprivate func droppingValue() -> Promise<Void> { asVoid() }

  fileprivate func appendProgress(to log: Log<Double>, on context: any ExecutionContext) {
    onProgress(on: context) { log.append($0) }
  }
}

extension AnyPromise {
  /// A link with the outcome without its value.
  package var end: Promise<Void> {
    (self as? any TypedPromise)?.droppingValue() ?? .rejected("a promise of no known type")
  }

  /// Attaches an observer of the progress that appends each value to the log.
  package func logProgress(in log: Log<Double>, on context: any ExecutionContext) {
    (self as? any TypedPromise)?.appendProgress(to: log, on: context)
  }
}

extension TestWorld {
  /// Runs the body in the world, and then runs the world until it is idle.
  @discardableResult
  package func start<Result>(_ body: () throws -> Result) rethrows -> Result { runUntilIdle(after: try run(body)) }

  /// Runs the world until it is idle, after the event, which is the argument and has happened.
  @discardableResult
  package func runUntilIdle<Event>(after event: Event) -> Event {
    runUntilIdle()
    return event
  }

  /// The number of armed timers.
  package var armed: Int { report(on: .timers)?.timers.count ?? 0 }

  /// The number of steps that are waiting.
  package var waitingStepCount: Int { report(on: .waiting)?.waiting.count ?? 0 }

  /// The numbers of the errors that are unhandled, and -1 for each other error.
  package func takeUnhandled() -> [Int] {
    report(on: .unhandledRejections)?.unhandledRejections.map { ($0.error as? TestError)?.number ?? -1 } ?? []
  }

  private func report(on checks: Checks) -> WorldReport? {
    do { try verify(checks) } catch { return error as? WorldReport }
    return nil
  }
}

/// Returns the numbers of the errors that are reported as unhandled while the code runs, and -2 for each second
/// settlement.
package func reported(_ body: () throws -> Void) rethrows -> [Int] {
  let reports = Log<Int>()
  try Diagnostics.scoped(
    unhandledRejection: { reports.append(($0.error as? TestError)?.number ?? -1) },
    secondSettlement: { _ in reports.append(-2) }, body)
  return reports.entries
}

/// A sequence that is not `Sendable`. It can be read once, and it logs each request.
package final class SingleUseSequence: Sequence, IteratorProtocol {
  private let asked: Log<Int>
  private let tracked: Tracked?
  private let end: Int
  private var number = 0

  package init(_ end: Int, _ asked: Log<Int>, _ tracked: Tracked? = nil) {
    self.asked = asked
    self.tracked = tracked
    self.end = end
  }

  package func next() -> Int? {
    asked.append(number)
    guard number < end else { return nil }
    defer { number += 1 }
    return number
  }
}

extension TestWorld {
  /// Starts work that ends at any moment with the value, unless it is cancelled before.
  package func work(_ name: String, endingWith value: Int) -> Promise<Int> {
    let owner = Deferred<Int>()
    sometime(name) { if owner.promise.isPending { owner.fulfill(value) } }
    return owner.promise
  }
}

/// A test environment with threads. It reads each promise that is made in it.
package final class CuriousWorld: ExecutionTestEnvironment {
  private let look: @Sendable (AnyPromise) -> Void
  private let rest = TestWorld()
  package let pool = PoolContext(width: 2)
  package var mainContext: any ExecutionContext { pool }
  package var timers: any TimerContext { rest.clock }
  package var executor: any TestTaskExecutor { rest.executor }

  package init(_ look: @escaping @Sendable (AnyPromise) -> Void) { self.look = look }

  package func didCreate(_ promise: AnyPromise) { look(promise) }
  package func random() -> Double { rest.random() }
}

extension ManualContext {
  /// Runs the jobs until none is left, after the event, which is the argument and has happened.
  @discardableResult
  package func runUntilIdle<Event>(after event: Event) -> Event {
    runUntilIdle()
    return event
  }
}
