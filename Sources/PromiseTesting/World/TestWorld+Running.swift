import PromiseContexts
public import PromiseCore
package import PromiseWaiting

extension TestWorld: WaitingEnvironment {
  /// Runs one step that is ready. This is a handler, a part of a Task, or a timer that is due now.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func step() -> Bool {
    let result = takeStep(until: scheduler.withQueue(\.time))
    if result == .busy { noteBusy() }
    return result == .taken
  }

  /// Runs the steps that are ready, and steps that they make ready, until none is left. Time does not move.
  ///
  /// - Returns: the number of steps, without those that steps have run.
  @discardableResult
  public func runUntilIdle() -> Int { runSteps(until: scheduler.withQueue(\.time)) }

  /// Moves the time forward. Runs the steps that are ready, then moves to the next timer, and so on until no step is
  /// left that is due by the new time.
  ///
  /// The world's time ends after 146 years. A timer that is due later never fires.
  ///
  /// - Parameter duration: the duration by which the time moves. Zero or less only runs the steps that are ready, as
  ///   ``runUntilIdle()`` does. Fractions of a nanosecond are rounded up.
  /// - Returns: the number of steps, without those that steps have run.
  @discardableResult
  public func advance(by duration: Duration) -> Int { advance(to: clock.now.advanced(by: duration)) }

  /// Moves the time forward to an instant, as ``advance(by:)`` does.
  @discardableResult
  public func advance(to instant: TestClock.Instant) -> Int { runSteps(until: instant.offset.deadline(from: 0)) }

  /// Runs steps, and moves the time, until the promise is settled.
  ///
  /// - Parameters:
  ///   - promise: a promise that steps of this world settle. It has one more consumer meanwhile (rule 4.0).
  ///   - limit: the longest duration by which the time may move, or `nil` to let it move to the last timer.
  /// - Returns: the value.
  /// - Throws: the promise's own error, or ``/PromiseWaiting/WaitError`` if the promise is still pending when no step
  ///   is left or the time is up.
  @discardableResult
  public func run<Value>(until promise: Promise<Value>, within limit: Duration? = nil) throws -> Value {
    try settle(promise, within: limit)
    guard let result = promise.result else { preconditionFailure("settled, without a result") }
    return try result.get()
  }

  /// Runs steps until a promise of any type is settled, as ``run(until:within:)`` does. Throws only if it stays
  /// pending.
  package func settle(_ promise: AnyPromise, within limit: Duration?) throws {
    try promise.refuseToBlock(ifNeeding: { $0.context.isCurrent == true })
    let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
    defer { observer.detach() }
    do {
      switch try runSteps(within: limit, while: { promise.isPending }) {
      case .reached: return
      case .outOfTime(let limit): throw promise.timedOut(after: limit)
      case .idle: throw WaitError.stuck(promise: promise.line + hint(for: promise), waitsFor: promise.waitLines)
      }
    } catch {
      noteThrowing(error)
      throw error
    }
  }

  /// The way in which ``runSteps(within:while:)`` ended.
  enum RunResult {
    /// The condition no longer holds.
    case reached
    /// The condition holds, and no step is left.
    case idle
    /// The condition holds, and the time is up.
    case outOfTime(Duration)
  }

  /// Runs steps, and moves the time, as long as the condition holds.
  func runSteps(within limit: Duration?, while condition: () -> Bool) throws -> RunResult {
    let end = scheduler.withQueue { queue in limit?.deadline(from: queue.time) ?? ScheduleQueue.end }
    var count = 0
    while condition() {
      if count >= stepLimit, scheduler.withQueue({ $0.hasNext(until: end) }) { throw WaitError.tooManySteps(count) }
      switch takeStep(until: end) {
      case .taken: count += 1
      case .busy: throw WaitError.worldBusy
      case .nothing:
        // Another thread or a real queue may have changed the condition since.
        if !condition() { return .reached }
        guard let limit, scheduler.withQueue(\.isWaitingForTime) else { return .idle }
        scheduler.withQueue { $0.setTime(end) }
        return .outOfTime(limit)
      }
    }
    return .reached
  }

  /// Runs the steps up to a time, and moves there. Returns the number of steps.
  private func runSteps(until time: UInt64) -> Int {
    let count = scheduler.stepLock.withLock {
      var count = 0
      while true {
        var result = StepResult.taken
        while result == .taken, count < stepLimit {
          result = takeStep(until: time)
          if result == .taken { count += 1 }
        }
        if result == .busy {
          noteBusy()
          return count
        }
        let isDone = scheduler.withQueue { queue in
          if queue.hasNext(until: time) { return false }
          queue.setTime(time)
          return true
        }
        if isDone { return count }
        // Another thread may have added work since the last step.
        if count >= stepLimit { break }
      }
      findings.add(failure: "\(WaitError.tooManySteps(count))")
      return count
    }
    if count == nil { noteBusy() }
    return count ?? 0
  }

  /// Records that another thread runs a step that does not end.
  private func noteBusy() { findings.add(failure: "\(WaitError.worldBusy)") }

  private enum StepResult { case taken, nothing, busy }

  private func takeStep(until time: UInt64) -> StepResult {
    scheduler.stepLock.withLock {
      guard let next = scheduler.withQueue({ $0.takeNext(until: time) }) else { return .nothing }
      guard next.isOnMain else {
        run(next)
        return .taken
      }
      if scheduler.mainLock.withLock({ run(next) }) != nil { return .taken }
      scheduler.putBack(next)
      return .busy
    } ?? .busy
  }

  private func run(_ next: ScheduleQueue.NextStep) {
    let hasRun = scope.runStep(next.work.run)
    scheduler.withQueue { $0.end(next, hasRun: hasRun) }
  }
}
