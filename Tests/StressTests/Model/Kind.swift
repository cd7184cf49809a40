/// Everything that runs code of a user's, and `shielded`, which derives a promise all the same.
enum Kind: String, CaseIterable, Sendable {
  case map, tap, validate, compactMap, then
  case recover, rescue, `catch`, mapError
  case mapBoth, thenBoth, always
  case shielded
  /// `Promise.run(on:)`, and `Promise(on:)`, whose closure settles or follows and lets the owner go.
  case run, body
  case onFulfilled, onRejected, onSettled
  /// A Task that waits, and leaves or gives up when it is cancelled.
  case waiter, cancellingWaiter

  static let links: [Kind] = [
    .map, .tap, .validate, .compactMap, .then, .recover, .rescue, .catch, .mapError, .mapBoth, .thenBoth, .always,
  ]
  static let observers: [Kind] = [.onFulfilled, .onRejected, .onSettled]

  var handlesValues: Bool {
    switch self {
    case .map, .tap, .validate, .compactMap, .then, .mapBoth, .thenBoth, .always, .onFulfilled, .onSettled, .waiter,
      .cancellingWaiter:
      true
    default: false
    }
  }

  var handlesErrors: Bool {
    switch self {
    case .recover, .rescue, .catch, .mapError, .mapBoth, .thenBoth, .always, .onRejected, .onSettled, .waiter,
      .cancellingWaiter:
      true
    default: false
    }
  }

  /// Rule 2.5: it runs if its source is rejected, also if its own promise was cancelled before.
  var hearsOfErrorsWhenCancelled: Bool {
    switch self {
    case .catch, .mapBoth, .thenBoth, .always: true
    default: false
    }
  }

  var isWaiter: Bool { self == .waiter || self == .cancellingWaiter }

  /// Has a closure for each outcome, and not one for both.
  var hasTwoHandlers: Bool { self == .mapBoth || self == .thenBoth }

  /// What the handler returns is a promise.
  var adopts: Bool { self == .then || self == .rescue || self == .thenBoth || self == .body }

  var isRoot: Bool { self == .run || self == .body }
  var isObserver: Bool { Kind.observers.contains(self) }
}
