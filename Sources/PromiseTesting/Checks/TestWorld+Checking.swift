import PromiseContexts
import PromiseCore
import PromiseWaiting

extension TestWorld {
  /// Records a failure for ``verify(_:)`` if a condition does not hold. Unlike an expectation of a test framework, a
  /// failure recorded here is seen by ``explore(schedules:seed:checking:_:)-18960``. This may be called from a handler.
  ///
  /// - Parameters:
  ///   - condition: the condition that should hold. An error that it throws is recorded as a failure.
  ///   - comment: the meaning of the condition, for the report.
  ///   - fileID: where this is called, for the report.
  ///   - line: the line there.
  public func expect(
    _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String = "",
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let site = CreationSite(fileID: fileID, line: line)
    let comment = comment()
    var problem = "not as expected"
    do { if try condition() { return } } catch { problem = "\(error)" }
    noteFailure()
    findings.add(failure: "\(site): \(problem)" + (comment.isEmpty ? "" : ": \(comment)"))
  }

  /// Tracks an object, which must be deallocated when the world is checked, as must the promises of the world.
  ///
  /// - Returns: the object.
  @discardableResult
  public func track<Object: AnyObject>(
    _ object: Object, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Object {
    registry.add(object, from: CreationSite(fileID: fileID, line: line))
    return object
  }

  /// Throws if something is left behind. The error names each thing and the line that made it. This runs no step.
  ///
  /// Failures, rejections, second settlements and unstopped work are reported once. Everything else is reported by every
  /// call. An unhandled rejection that is reported counts as handled. It is not reported while a handler for it waits to
  /// run.
  ///
  /// - Parameter checks: ``Checks/running`` while the test still holds its promises.
  /// - Throws: ``WorldReport``.
  public func verify(_ checks: Checks = .running) throws {
    let report = report(on: checks)
    if report.isEmpty { return }
    noteThrowing(report)
    throw report
  }

  private func report(on checks: Checks) -> WorldReport {
    let found = findings.take(checks)
    let living = registry.promises
    var report = WorldReport(failures: found.failures, unhandledRejections: found.rejections)
    report.unstoppedWork = found.works
    report.secondSettlements = found.settlements.filter { !$0.wasCancelled }
    if checks.contains(.pendingPromises) {
      report.pending = pending(among: living)
      report.unfinished = living.filter { !$0.isPending && !$0.isFinished }.map(survivor)
      report.causes = Diagnostics.causes(of: living.filter { !$0.isFinished })
    }
    if checks.contains(.unhandledRejections) {
      report.unhandledRejections += withoutWaitingHandlers(living).compactMap { $0.takeUnhandledRejection() }
    }
    if checks.contains(.timers) { report.timers = scheduler.armedTimers.map(timer) }
    if checks.contains(.waiting) { report.waiting = scheduler.withQueue(\.waitingSteps) }
    if checks.contains(.objects) {
      report.objects = living.filter(\.isFinished).map(survivor)
      report.objects += registry.trackedObjects.map {
        WorldReport.Survivor(createdAt: $0.site, object: "\(type(of: $0.object))")
      }
    }
    return report
  }

  /// Returns the promises without those whose handler is scheduled and has not run. Such a handler may still handle a
  /// rejection, or pass it on to its own promise.
  ///
  /// Handlers of links are found by their promises, on any context. Handlers of observers have none. They are found if
  /// they wait on a context of the world.
  private func withoutWaitingHandlers(_ promises: [AnyPromise]) -> [AnyPromise] {
    let sources = promises.compactMap(\.sourceOfScheduledHandler) + scheduler.withQueue(\.sourcesOfWaitingHandlers)
    let waiting = Set(sources.map { ObjectIdentifier($0) })
    return promises.filter { !waiting.contains(ObjectIdentifier($0)) }
  }

  func pending(among promises: [AnyPromise]) -> [WorldReport.Survivor] {
    promises.filter(\.isPending).map(survivor)
  }

  private func survivor(_ promise: AnyPromise) -> WorldReport.Survivor {
    let operation = promise.operationName.map { ", \($0)" } ?? ""
    return WorldReport.Survivor(
      createdAt: promise.createdAt, object: promise.summary + operation + hint(for: promise))
  }

  /// Returns an advice if the promise waits for a Task that the world does not run. Otherwise the text is empty.
  func hint(for promise: AnyPromise) -> String {
    guard registry.isWaitingForMainActor(promise) else { return "" }
    return """
      ; its Task is on the main actor, which a world does not run: write `Promise.task { @concurrent in … }`, or make it in a \
      function that is `nonisolated`
      """
  }

  private func timer(_ entry: TimerEntry) -> WorldReport.Timer {
    let deadline = TestClock.Instant(offset: .nanoseconds(Int64(entry.deadline)))
    return WorldReport.Timer(createdAt: entry.site, remaining: clock.now.duration(to: deadline))
  }
}
