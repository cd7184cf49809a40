import PromiseCore

/// The forms in which a handler is attached. They are the form of Promises/A+ with two handlers, the forms that leave
/// one handler out, and the forms that only observe.
enum Form: String, CaseIterable, Sendable {
  case mapBoth, thenBoth, always, onSettled
  case map, then, tap, onFulfilled
  case recover, rescue, `catch`, onRejected

  /// Returns the forms that have a handler for the outcome.
  static func handling(_ outcome: Outcome) -> [Form] { allCases.filter { $0.handles(outcome) } }

  /// Returns the links that have no handler for the outcome.
  static func leavingOut(_ outcome: Outcome) -> [Form] { allCases.filter { !$0.handles(outcome) && $0.isLink } }

  /// Each outcome with each form that has a handler for it.
  static let eachHandling = Outcome.settled.flatMap { outcome in handling(outcome).map { (outcome: outcome, form: $0) }
  }

  /// Each outcome with each link that has no handler for it.
  static let eachLeavingOut = Outcome.settled.flatMap { outcome in
    leavingOut(outcome).map { (outcome: outcome, form: $0) }
  }

  /// Returns the links that have a handler for the outcome, and whose promise gets the result of the handler.
  static func deriving(_ outcome: Outcome) -> [Form] { handling(outcome).filter(\.derives) }

  /// Whether the form derives a promise.
  var isLink: Bool { ![.onSettled, .onFulfilled, .onRejected].contains(self) }

  /// Whether the result of the handler becomes the outcome of the derived promise.
  var derives: Bool { [.mapBoth, .thenBoth, .map, .then, .recover, .rescue].contains(self) }

  func handles(_ outcome: Outcome) -> Bool {
    switch self {
    case .mapBoth, .thenBoth, .always, .onSettled: return true
    case .map, .then, .tap, .onFulfilled: return outcome.isValue
    case .recover, .rescue, .catch, .onRejected: return !outcome.isValue
    }
  }

  /// Attaches the handler for the value, the error or both, as the form has it. A form whose handler cannot throw
  /// ignores errors of the handler.
  @discardableResult
  func attach(
    to promise: Promise<Int>, on context: any ExecutionContext,
    _ handler: @escaping @Sendable (Outcome) throws -> Int
  ) -> Promise<Int> {
    let fulfilled: @Sendable (Int) throws -> Int = { try handler(.value($0)) }
    let rejected: @Sendable (any Error) throws -> Int = { try handler(Outcome($0)) }
    return switch self {
    case .mapBoth: promise.map(on: context, fulfilled: fulfilled, rejected: rejected)
    case .thenBoth:
      promise.then(
        on: context,
        fulfilled: { .fulfilled(try fulfilled($0)) },
        rejected: { .fulfilled(try rejected($0)) }
      )
    case .always: promise.always(on: context) { _ = try? handler(Outcome($0)) }
    case .onSettled: promise.onSettled(on: context) { _ = try? handler(Outcome($0)) }
    case .map: promise.map(on: context, fulfilled)
    case .then: promise.then(on: context) { .fulfilled(try fulfilled($0)) }
    case .tap: promise.tap(on: context) { _ = try fulfilled($0) }
    case .onFulfilled: promise.onFulfilled(on: context) { _ = try? fulfilled($0) }
    case .recover: promise.recover(on: context, rejected)
    case .rescue: promise.rescue(on: context) { .fulfilled(try rejected($0)) }
    case .catch: promise.catch(on: context) { _ = try? rejected($0) }
    case .onRejected: promise.onRejected(on: context) { _ = try? rejected($0) }
    }
  }
}
