import PromiseContexts
import PromiseCore

extension TestWorld {
  /// Notes that something is not as it should be, for ``verify(_:)``. Unlike a test framework's own, this is seen by
  /// ``explore(schedules:seed:checking:_:)-18960``, and may be called from a handler.
  ///
  /// - Parameters:
  ///   - condition: what should be true. If it throws, that is noted.
  ///   - comment: what it means.
  ///   - fileID: where this is called, for the report.
  ///   - line: the line there.
  public func expect(
    _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String = "",
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let site = CreationSite(fileID: fileID, line: line)
    let comment = comment()
    do {
      if try condition() { return }
      findings.add(failure: "\(site): not as expected" + (comment.isEmpty ? "" : ": \(comment)"))
    } catch {
      findings.add(failure: "\(site): \(error)" + (comment.isEmpty ? "" : ": \(comment)"))
    }
  }

  /// An object that must have gone when the world is checked, as must the promises of the world.
  ///
  /// - Returns: the object.
  @discardableResult
  public func track<Object: AnyObject>(
    _ object: Object, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Object {
    census.add(object, from: CreationSite(fileID: fileID, line: line))
    return object
  }

  /// Throws if something is left behind: says of each thing what it is, and where it was made. Runs nothing.
  ///
  /// What was reported once is not reported again, if it is something that has happened and not something that is
  /// there. An unhandled rejection that is reported counts as looked at.
  ///
  /// - Parameter checks: ``Checks/running`` while the test still holds its promises.
  /// - Throws: ``WorldReport``.
  public func verify(_ checks: Checks = .running) throws {
    let report = report(on: checks)
    if !report.isEmpty { throw report }
  }

  private func report(on checks: Checks) -> WorldReport {
    // Before the findings are read: a promise that is released may report an unhandled rejection.
    census.releaseDeadEntries()
    let found = findings.take(checks)
    let living = census.promises
    var report = WorldReport(failures: found.failures, unhandledRejections: found.rejections)
    report.secondSettlements = found.settlements.filter { !$0.wasCancelled }
    if checks.contains(.pendingPromises) { report.pending = pending(among: living) }
    if checks.contains(.unhandledRejections) {
      report.unhandledRejections += living.compactMap { $0.takeUnhandledRejection() }
    }
    if checks.contains(.timers) { report.timers = agenda.armedTimers.map(timer) }
    if checks.contains(.waiting) { report.waiting = agenda.withPlan(\.waitingSteps) }
    if checks.contains(.objects) {
      report.objects = living.filter { !$0.isPending }.map(survivor)
      report.objects += census.others.map { WorldReport.Survivor(createdAt: $0.site, object: "\(type(of: $0.object))") }
    }
    return report
  }

  func pending(among promises: [AnyPromise]) -> [WorldReport.Survivor] {
    promises.filter(\.isPending).map(survivor)
  }

  private func survivor(_ promise: AnyPromise) -> WorldReport.Survivor {
    WorldReport.Survivor(createdAt: promise.createdAt, object: promise.summary + hint(for: promise))
  }

  /// What to do if the promise waits for a Task that the world does not run; otherwise empty.
  func hint(for promise: AnyPromise) -> String {
    guard census.isWaitingForMainActor(promise) else { return "" }
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
