package import PromiseCore
package import TestSupport

/// Every link and observer of Core that takes a handler. The raw value is its name in a call, with the labels that
/// distinguish it from others.
package enum LinkKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case map, then, tap, tapThen, always, alwaysThen, validate, compactMap
  case mapBoth = "map(fulfilled:rejected:)"
  case thenBoth = "then(fulfilled:rejected:)"
  case recover, recoverFailure, rescue, rescueFailure, catchFailure, mapError, markCancelled
  case catchAny = "catch"
  case catchThen
  case recoverFrom = "recover(from:)"
  case rescueFrom = "rescue(from:)"
  case catchOnly = "catch(only:)"
  case catchFailureOnly = "catchFailure(only:)"
  case mapErrorFrom = "mapError(from:)"
  case onFulfilled, onRejected, onFailed, onSettled
  case onRejectedOnly = "onRejected(only:)"

  package var description: String { rawValue }

  package var handlesValues: Bool {
    ![
      .recover, .recoverFrom, .recoverFailure, .rescue, .rescueFrom, .rescueFailure, .catchAny, .catchThen,
      .catchOnly, .catchFailure, .catchFailureOnly, .mapError, .mapErrorFrom, .markCancelled, .onRejected,
      .onRejectedOnly, .onFailed,
    ].contains(self)
  }

  /// Whether the handler runs for an error without the cancelled mark.
  package var handlesErrors: Bool {
    ![.map, .then, .tap, .tapThen, .validate, .compactMap, .onFulfilled].contains(self)
  }

  package var mayThrow: Bool {
    !isObserver
      && ![.always, .alwaysThen, .catchAny, .catchOnly, .catchFailure, .catchFailureOnly, .markCancelled].contains(self)
  }

  /// Whether the result of the handler is the value of the derived promise.
  package var substitutes: Bool {
    [
      .map, .mapBoth, .then, .thenBoth, .compactMap, .recover, .recoverFrom, .recoverFailure, .rescue, .rescueFrom,
      .rescueFailure,
    ].contains(self)
  }

  /// Whether the derived promise waits for a promise that the handler returns, and gives it up if it is cancelled.
  package var adopts: Bool {
    [.then, .thenBoth, .tapThen, .rescue, .rescueFrom, .rescueFailure, .catchThen].contains(self)
  }

  /// Whether the link has a share in the progress, unless the call gives it another one.
  package var hasShare: Bool { [.then, .thenBoth, .tapThen].contains(self) }

  package var isObserver: Bool { Self.observers.contains(self) }

  package static let observers: [LinkKind] = [.onFulfilled, .onRejected, .onRejectedOnly, .onFailed, .onSettled]
  package static let links = allCases.filter { !$0.isObserver }

  /// The links whose handler gets a `TestError` and no other error.
  package static let typed: [LinkKind] = [.recoverFrom, .rescueFrom, .catchOnly, .catchFailureOnly, .mapErrorFrom]

  /// Whether the handler leaves the duty to handle an error to the derived promise (rule 7.1). That of `markCancelled`
  /// does so here, because it refuses each error.
  package var handsDutyOn: Bool { [.always, .alwaysThen, .markCancelled].contains(self) }

  /// Whether the handler runs only for failures or only after a cancellation, so that the context gets a job for each
  /// error.
  package var looksAtMark: Bool {
    [.recoverFailure, .rescueFailure, .catchFailure, .catchFailureOnly, .markCancelled, .onFailed].contains(self)
  }

  package var mapsErrors: Bool { self == .mapError || self == .mapErrorFrom }

  /// The error that `mapError` returns here.
  package static let mapped = TestError(1_000)
}

extension LinkKind {
  /// Attaches a handler that runs `body` and returns `substitute` if links of this kind use the result.
  package func attach<Value>(
    to promise: Promise<Value>, on context: any ExecutionContext, giving substitute: Value,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
  ) -> Promise<Value> {
    attach(to: promise, on: context, giving: substitute, fileID: fileID, line: line, seeing: { _ in try body() })
  }

  /// Attaches a handler that passes its argument to `body`.
  package func attach<Value>(
    to promise: Promise<Value>, on context: any ExecutionContext, giving substitute: Value,
    fileID: StaticString = #fileID, line: UInt = #line,
    seeing body: @escaping @Sendable (Result<Value, any Error>) throws -> Void
  ) -> Promise<Value> {
    attach(
      to: promise, on: context,
      forValue: { value in
        try body(.success(value))
        return substitute
      },
      forError: { error in
        try body(.failure(error))
        return substitute
      }, forOutcome: body, fileID: fileID, line: line)
  }

  /// Attaches those of the handlers that links of this kind have. A link that adopts gets the promise that `returning`
  /// makes of the result.
  package func attach<Value>(
    to promise: Promise<Value>, on context: any ExecutionContext,
    forValue value: @escaping @Sendable (Value) throws -> Value,
    forError error: @escaping @Sendable (any Error) throws -> Value,
    forOutcome outcome: @escaping @Sendable (Result<Value, any Error>) throws -> Void,
    returning made: @escaping @Sendable (Value) -> Promise<Value> = { .fulfilled($0) },
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    switch self {
    case .map: promise.map(on: context, fileID: fileID, line: line, value)
    case .mapBoth: promise.map(on: context, fileID: fileID, line: line, fulfilled: value, rejected: error)
    case .then: promise.then(on: context, fileID: fileID, line: line) { made(try value($0)) }
    case .thenBoth:
      promise.then(
        on: context, fileID: fileID, line: line, fulfilled: { made(try value($0)) }, rejected: { made(try error($0)) })
    case .tap: promise.tap(on: context, fileID: fileID, line: line) { _ = try value($0) }
    case .tapThen: promise.tapThen(on: context, fileID: fileID, line: line) { made(try value($0)) }
    case .always: promise.always(on: context, fileID: fileID, line: line) { try? outcome($0) }
    case .alwaysThen:
      promise.alwaysThen(on: context, fileID: fileID, line: line) {
        try? outcome($0)
        return Promise.fulfilled(0)
      }
    case .validate:
      promise.validate(on: context, fileID: fileID, line: line) {
        _ = try value($0)
        return true
      }
    case .compactMap: promise.compactMap(on: context, fileID: fileID, line: line) { Optional(try value($0)) }
    case .recover: promise.recover(on: context, fileID: fileID, line: line, error)
    case .recoverFrom: promise.recover(from: TestError.self, on: context, fileID: fileID, line: line) { try error($0) }
    case .recoverFailure: promise.recoverFailure(on: context, fileID: fileID, line: line, error)
    case .rescue: promise.rescue(on: context, fileID: fileID, line: line) { made(try error($0)) }
    case .rescueFrom:
      promise.rescue(from: TestError.self, on: context, fileID: fileID, line: line) { made(try error($0)) }
    case .rescueFailure: promise.rescueFailure(on: context, fileID: fileID, line: line) { made(try error($0)) }
    case .catchAny: promise.catch(on: context, fileID: fileID, line: line) { _ = try? error($0) }
    case .catchThen: promise.catchThen(on: context, fileID: fileID, line: line) { made(try error($0)) }
    case .catchOnly: promise.catch(only: TestError.self, on: context, fileID: fileID, line: line) { _ = try? error($0) }
    case .catchFailure: promise.catchFailure(on: context, fileID: fileID, line: line) { _ = try? error($0) }
    case .catchFailureOnly:
      promise.catchFailure(only: TestError.self, on: context, fileID: fileID, line: line) { _ = try? error($0) }
    case .mapErrorFrom:
      promise.mapError(from: TestError.self, on: context, fileID: fileID, line: line) {
        _ = try error($0)
        return Self.mapped
      }
    case .mapError:
      promise.mapError(on: context, fileID: fileID, line: line) {
        _ = try error($0)
        return Self.mapped
      }
    case .markCancelled:
      promise.markCancelled(on: context, fileID: fileID, line: line) {
        _ = try? error($0)
        return false
      }
    case .onFulfilled: promise.onFulfilled(on: context) { _ = try? value($0) }
    case .onRejected: promise.onRejected(on: context) { _ = try? error($0) }
    case .onRejectedOnly: promise.onRejected(only: TestError.self, on: context) { _ = try? error($0) }
    case .onFailed: promise.onFailed(on: context) { _ = try? error($0) }
    case .onSettled: promise.onSettled(on: context) { try? outcome($0) }
    }
  }
}
