import PromiseContexts
public import PromiseCore

// What happens in the world, step by step.

extension TestWorld {
  /// Runs one thing that is ready: a handler, a part of a Task, a timer that is due now.
  ///
  /// - Returns: `false`: nothing was ready.
  @discardableResult
  public func step() -> Bool { takeStep(until: agenda.currentTime) }

  /// Runs what is ready, and what that makes ready, until nothing is left. Time does not move.
  ///
  /// - Returns: how many steps that were.
  @discardableResult
  public func runUntilIdle() -> Int { runSteps(until: agenda.currentTime) }

  /// Moves the time on: runs what is ready, then moves to the next timer, and so on until nothing is left that is to happen up to
  /// then.
  ///
  /// The world's time ends after 146 years: what is due later never happens.
  ///
  /// - Parameter duration: zero or less: as ``runUntilIdle()``.
  /// - Returns: how many steps that were.
  @discardableResult
  public func advance(by duration: Duration) -> Int { advance(to: clock.now.advanced(by: duration)) }

  /// Moves the time on to an instant: see ``advance(by:)``.
  @discardableResult
  public func advance(to instant: TestClock.Instant) -> Int {
    let time = min(instant.offset.deadline(from: 0), Agenda.end)
    let count = runSteps(until: max(time, agenda.currentTime))
    agenda.setTime(time)
    return count
  }

  /// Runs steps, and moves the time, until the promise is settled.
  ///
  /// - Parameters:
  ///   - promise: in this world, or at least settled by what happens in it.
  ///   - limit: how far the time may move; `nil`: as far as there are timers.
  /// - Returns: the value.
  /// - Throws: the promise's own error; ``WaitError`` if the promise is still pending when nothing is left that could happen, or when
  ///   the time is up.
  @discardableResult
  public func run<Value>(until promise: Promise<Value>, within limit: Duration? = nil) throws -> Value {
    try settle(promise, within: limit)
    guard let result = promise.result else { preconditionFailure("settled, without a result") }
    return try result.get()
  }

  /// As ``run(until:within:)``, for a promise of any type; throws only if it stays pending.
  func settle(_ promise: AnyPromise, within limit: Duration?) throws {
    try promise.refuseToBlock(ifNeeding: { $0.context.isCurrent == true })
    // Who waits is a consumer (rule 4.0).
    let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
    defer { observer.detach() }
    let handlers = { promise.awaitedHandlers.map(\.line) }
    switch try runSteps(within: limit, while: { promise.isPending }) {
    case .reached: return
    case .outOfTime(let limit): throw WaitError.timedOut(after: limit, promise: promise.line, handlers: handlers())
    case .idle: throw WaitError.stuck(promise: promise.line, handlers: handlers())
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
    let end = min(limit?.deadline(from: agenda.currentTime) ?? Agenda.end, Agenda.end)
    var count = 0
    while isGoingOn() {
      if count == stepLimit, agenda.hasNext(until: end) { throw WaitError.tooManySteps(count) }
      if takeStep(until: end) {
        count += 1
      } else if let limit, !agenda.armedTimers.isEmpty {
        agenda.setTime(end)
        return .outOfTime(limit)
      } else {
        return .idle
      }
    }
    return .reached
  }

  /// Returns how many steps there were.
  private func runSteps(until time: UInt64) -> Int {
    turn.take {
      var count = 0
      while count < stepLimit {
        guard takeStep(until: time) else { return count }
        count += 1
      }
      if agenda.hasNext(until: time) { findings.add(failure: "\(WaitError.tooManySteps(count))") }
      return count
    }
  }

  private func takeStep(until time: UInt64) -> Bool {
    turn.take {
      guard let next = agenda.takeNext(until: time) else { return false }
      scope.bind(next.run)
      agenda.end(next)
      return true
    }
  }
}
