import PromiseContexts
public import PromiseCore

// What happens in the world, step by step.

extension TestWorld {
  /// Runs one thing that is ready: a handler, a part of a Task, a timer that is due now.
  ///
  /// - Returns: `false`: nothing was ready.
  @discardableResult
  public func step() -> Bool { takeStep(until: agenda.withPlan(\.time)) == .taken }

  /// Runs what is ready, and what that makes ready, until nothing is left. Time does not move.
  ///
  /// - Returns: how many steps that were, beside those that steps have run.
  @discardableResult
  public func runUntilIdle() -> Int { runSteps(until: agenda.withPlan(\.time)) }

  /// Moves the time on: runs what is ready, then moves to the next timer, and so on until nothing is left that is to
  /// happen up to then.
  ///
  /// The world's time ends after 146 years: what is due later never happens.
  ///
  /// - Parameter duration: zero or less: as ``runUntilIdle()``. Fractions of a nanosecond count as a whole one.
  /// - Returns: how many steps that were, beside those that steps have run.
  @discardableResult
  public func advance(by duration: Duration) -> Int { advance(to: clock.now.advanced(by: duration)) }

  /// Moves the time on to an instant: see ``advance(by:)``.
  @discardableResult
  public func advance(to instant: TestClock.Instant) -> Int { runSteps(until: instant.offset.deadline(from: 0)) }

  /// Runs steps, and moves the time, until the promise is settled.
  ///
  /// - Parameters:
  ///   - promise: in this world, or at least settled by what happens in it. It has a consumer more meanwhile (rule 4.0).
  ///   - limit: how far the time may move; `nil`: as far as there are timers.
  /// - Returns: the value.
  /// - Throws: the promise's own error; ``WaitError`` if the promise is still pending when nothing is left that could
  ///   happen, or when the time is up.
  @discardableResult
  public func run<Value>(until promise: Promise<Value>, within limit: Duration? = nil) throws -> Value {
    try settle(promise, within: limit)
    guard let result = promise.result else { preconditionFailure("settled, without a result") }
    return try result.get()
  }

  /// As ``run(until:within:)``, for a promise of any type; throws only if it stays pending.
  func settle(_ promise: AnyPromise, within limit: Duration?) throws {
    try promise.refuseToBlock(ifNeeding: { $0.context.isCurrent == true })
    let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
    defer { observer.detach() }
    switch try runSteps(within: limit, while: { promise.isPending }) {
    case .reached: return
    case .outOfTime(let limit): throw promise.timedOut(after: limit)
    case .idle:
      throw WaitError.stuck(promise: promise.line + hint(for: promise), handlers: promise.awaitedHandlers.map(\.line))
    }
  }

  /// How ``runSteps(within:while:)`` ended.
  enum Ending {
    /// The condition does not hold any more.
    case reached
    /// It holds, and nothing is left that could happen.
    case idle
    /// The same, within the time that was given, and so much time has passed.
    case outOfTime(Duration)
  }

  /// Runs steps, and moves the time, as long as the condition holds.
  func runSteps(within limit: Duration?, while isGoingOn: () -> Bool) throws -> Ending {
    let end = agenda.withPlan { plan in limit?.deadline(from: plan.time) ?? Plan.end }
    var count = 0
    while isGoingOn() {
      if count >= stepLimit, agenda.withPlan({ $0.hasNext(until: end) }) { throw WaitError.tooManySteps(count) }
      switch takeStep(until: end) {
      case .taken: count += 1
      case .busy: throw WaitError.worldBusy
      case .nothing:
        // Another thread, or a real queue, may have been faster.
        if !isGoingOn() { return .reached }
        guard let limit, !agenda.armedTimers.isEmpty else { return .idle }
        agenda.withPlan { $0.setTime(end) }
        return .outOfTime(limit)
      }
    }
    return .reached
  }

  /// Runs what happens up to a time, and moves there. Returns how many steps there were.
  private func runSteps(until time: UInt64) -> Int {
    let count = turn.take {
      var count = 0
      while true {
        while count < stepLimit, takeStep(until: time) == .taken { count += 1 }
        let isDone = agenda.withPlan { plan in
          if plan.hasNext(until: time) { return false }
          plan.setTime(time)
          return true
        }
        if isDone { return count }
        // Another thread may have added something since there was nothing left.
        if count >= stepLimit { break }
      }
      findings.add(failure: "\(WaitError.tooManySteps(count))")
      return count
    }
    if count == nil { findings.add(failure: "\(WaitError.worldBusy)") }
    return count ?? 0
  }

  private enum Taking { case taken, nothing, busy }

  private func takeStep(until time: UInt64) -> Taking {
    turn.take {
      guard let next = agenda.withPlan({ $0.takeNext(until: time) }) else { return .nothing }
      scope.bind(next.run)
      agenda.withPlan { $0.end(next) }
      return .taken
    } ?? .busy
  }
}
