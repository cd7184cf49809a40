import PromiseContexts
import PromiseCore

/// The attempts of one call of `retry`, with its arguments.
final class Retrying<Value: Sendable>: Sendable {
  enum Body {
    case plain(@Sendable () throws -> Promise<Value>)
    case numbered(@Sendable (Int) throws -> Promise<Value>)
  }

  private let maxCount: Int
  private let pauses: LimitedPauses
  private let end: WorkEnd
  private let context: any ExecutionContext
  private let predicate: @Sendable (Int, any Error) -> Bool
  private let fileID: StaticString
  private let line: UInt
  private let body: Body

  init(
    _ maxCount: Int, _ backoff: Backoff, _ limit: Duration?, _ end: WorkEnd,
    _ context: any ExecutionContext, _ timers: any TimerContext,
    _ predicate: @escaping @Sendable (Int, any Error) -> Bool,
    _ fileID: StaticString, _ line: UInt, _ body: Body
  ) {
    self.maxCount = maxCount
    pauses = LimitedPauses(backoff, within: limit, on: timers)
    self.end = end
    self.context = context
    self.predicate = predicate
    self.fileID = fileID
    self.line = line
    self.body = body
  }

  private var site: CreationSite { CreationSite(fileID: fileID, line: line) }

  func begin() -> Promise<Value> { attempt(1, of: nil) }

  /// Makes an attempt, and those that follow it.
  ///
  /// - Parameter loop: the result. `nil` for the first attempt, which makes it.
  private func attempt(_ number: Int, of loop: AnyPromise?) -> Promise<Value> {
    start(number).rescueOwned(on: context, by: .retry, at: site) { [self] error, failed, result in
      let loop = loop ?? result
      guard loop.isPending, number < maxCount, predicate(number, error),
        let pause = pauses.pause(before: number, after: error)
      else { return nil }
      if end == .settled || failed.isFinished { return attempt(number + 1, of: loop, after: pause) }
      return failed.whenFinished(fileID: fileID, line: line)
        .thenOwned(on: InlineContext.shared, by: .retry, at: site) { [self] in
          // Time has passed since the pause was chosen.
          guard pauses.isWithinLimit(pause) else { throw error }
          return attempt(number + 1, of: loop, after: pause)
        }
    }
  }

  private func attempt(_ number: Int, of loop: AnyPromise, after pause: Duration) -> Promise<Value> {
    Promise<Void>.after(pause, settle: .success(()), on: pauses.timers, fileID, line)
      .thenOwned(on: InlineContext.shared, by: .retry, at: site) { [self] in
        try loop.checkIsLooping()
        return attempt(number, of: loop)
      }
  }

  private func start(_ number: Int) -> Promise<Value> {
    switch body {
    case .plain(let body): .startOwned(on: context, by: .retry, at: site, body)
    case .numbered(let body): .startOwned(on: context, by: .retry, at: site) { try body(number) }
    }
  }
}
