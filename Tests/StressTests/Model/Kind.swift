/// The operators that run client code, and `shielded`, which derives a promise as well.
enum Kind: String, CaseIterable, Sendable {
  case map, tap, validate, compactMap, then
  case recover, rescue, `catch`, mapError
  case mapBoth, thenBoth, always
  case shielded
  /// `Promise.run(on:)`, and `Promise(on:)`, whose closure settles its promise or follows another, and then releases
  /// the owner.
  case run, body
  case onFulfilled, onRejected, onSettled
  /// A Task that waits. When the Task is cancelled, it leaves or gives up the promise.
  case waiter, cancellingWaiter

  static let links: [Kind] = [
    .map, .tap, .validate, .compactMap, .then, .recover, .rescue, .catch, .mapError, .mapBoth, .thenBoth, .always,
  ]
  static let observers: [Kind] = [.onFulfilled, .onRejected, .onSettled]

  var handlesValues: Bool {
    ![.recover, .rescue, .catch, .mapError, .shielded, .run, .body, .onRejected].contains(self)
  }

  var handlesErrors: Bool {
    ![.map, .tap, .validate, .compactMap, .then, .shielded, .run, .body, .onFulfilled].contains(self)
  }

  /// Whether the handler runs for a rejection of its source even if its own promise was cancelled before (rule 2.5).
  var hearsOfErrorsWhenCancelled: Bool { [.catch, .mapBoth, .thenBoth, .always].contains(self) }

  var isWaiter: Bool { self == .waiter || self == .cancellingWaiter }

  /// Whether the operator has a closure for each outcome instead of one for both.
  var hasTwoHandlers: Bool { self == .mapBoth || self == .thenBoth }

  /// Whether the handler returns a promise.
  var adopts: Bool { self == .then || self == .rescue || self == .thenBoth || self == .body }
}
