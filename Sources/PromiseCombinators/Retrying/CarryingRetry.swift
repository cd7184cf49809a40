import PromiseContexts
import PromiseCore

/// The attempts of one call of the `retry` that hands a value on, with its arguments.
final class CarryingRetry<Value: Sendable, Carried: Sendable>: Sendable {
  typealias Attempt = RetryAttempt<Carried>

  private let maxCount: Int
  private let pauses: LimitedPauses
  private let end: WorkEnd
  private let context: any ExecutionContext
  private let first: Attempt
  private let condition: @Sendable (Attempt, any Error) throws -> Promise<Bool>
  private let fileID: StaticString
  private let line: UInt
  private let body: @Sendable (Attempt) throws -> Promise<Value>

  init(
    _ maxCount: Int, _ backoff: Backoff, _ limit: Duration?, _ end: WorkEnd,
    _ context: any ExecutionContext, _ timers: any TimerContext, _ initial: Carried,
    _ condition: @escaping @Sendable (Attempt, any Error) throws -> Promise<Bool>,
    _ fileID: StaticString, _ line: UInt, _ body: @escaping @Sendable (Attempt) throws -> Promise<Value>
  ) {
    self.maxCount = maxCount
    pauses = LimitedPauses(backoff, within: limit, on: timers)
    self.end = end
    self.context = context
    first = Attempt(1, after: nil, carrying: CarriedValue(initial))
    self.condition = condition
    self.fileID = fileID
    self.line = line
    self.body = body
  }

  private var site: CreationSite { CreationSite(fileID: fileID, line: line) }

  func begin() -> Promise<Value> { make(first, of: nil) }

  /// Makes an attempt, and those that follow it.
  ///
  /// - Parameter loop: the result. `nil` for the first attempt, which makes it.
  private func make(_ attempt: Attempt, of loop: AnyPromise?) -> Promise<Value> {
    Promise<Value>.startOwned(on: context, by: .retry, at: site) { [self] in
      attempt.begin()
      return try body(attempt)
    }
    .rescueOwned(on: context, by: .retry, at: site) { [self] error, failed, result in
      let loop = loop ?? result
      // The pause is chosen before the question, so that no client is asked in vain.
      guard loop.isPending, attempt.number < maxCount,
        let pause = pauses.pause(before: attempt.number, after: error)
      else { return nil }
      let answer: Promise<Bool>
      do {
        answer = try condition(attempt, error)
      } catch {
        return .rejected(error, fileID: fileID, line: line)
      }
      return answer.thenStep(on: InlineContext.shared, by: .retry, at: site) { [self] isWanted in
        guard isWanted else { throw error }
        let next = attempt.next(after: error)
        if end == .settled || failed.isFinished { return try make(next, of: loop, after: pause) }
        return failed.whenFinished(fileID: fileID, line: line)
          .thenOwned(on: InlineContext.shared, by: .retry, at: site) { [self] in
            try make(next, of: loop, after: pause)
          }
      }
    }
  }

  /// Makes an attempt after a pause.
  ///
  /// - Throws: the error of the attempt before it, if the pause would end after the limit. Time has passed since the
  ///   pause was chosen.
  private func make(_ attempt: Attempt, of loop: AnyPromise, after pause: Duration) throws -> Promise<Value> {
    if let error = attempt.lastError, !pauses.isWithinLimit(pause) { throw error }
    return Promise<Void>.after(pause, settle: .success(()), on: pauses.timers, fileID, line)
      .thenOwned(on: InlineContext.shared, by: .retry, at: site) { [self] in
        try loop.checkIsLooping()
        return make(attempt, of: loop)
      }
  }
}
