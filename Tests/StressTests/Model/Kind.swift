/// The operators that run client code, and `shielded`, which derives a promise as well.
enum Kind: String, CaseIterable, Sendable {
  case map, tap, validate, compactMap, then
  case recover, rescue, `catch`, mapError
  case mapBoth, thenBoth, always
  /// The handler begins a cleanup (rule 2.10).
  case alwaysThen
  case shielded
  /// `Promise.run(on:)`, and `Promise(on:)`, whose closure settles its promise or follows another, and then releases
  /// the owner.
  case run, body
  case onFulfilled, onRejected, onSettled, onFailed
  /// A Task that waits. When the Task is cancelled, it leaves or gives up the promise.
  case waiter, cancellingWaiter

  static let links: [Kind] = [
    .map, .tap, .validate, .compactMap, .then, .recover, .rescue, .catch, .mapError, .mapBoth, .thenBoth, .always,
    .alwaysThen,
  ]
  /// The model of several threads does not know when cleanups begin.
  static let linksOfThreads = links.filter { $0 != .alwaysThen }
  static let observers: [Kind] = [.onFulfilled, .onRejected, .onSettled, .onFailed]
  static let observersOfThreads = observers.filter { $0 != .onFailed }

  var handlesValues: Bool {
    ![.recover, .rescue, .catch, .mapError, .shielded, .run, .body, .onRejected, .onFailed].contains(self)
  }

  var handlesErrors: Bool {
    ![.map, .tap, .validate, .compactMap, .then, .shielded, .run, .body, .onFulfilled].contains(self)
  }

  /// Whether the handler runs for a rejection of its source even if its own promise was cancelled before (rule 2.5).
  var hearsOfErrorsWhenCancelled: Bool { [.catch, .mapBoth, .thenBoth].contains(self) || runsOnce }

  /// Whether the handler runs once, whatever happens to its own promise (rule 2.5).
  var runsOnce: Bool { self == .always || self == .alwaysThen }

  var isWaiter: Bool { self == .waiter || self == .cancellingWaiter }

  /// Whether the operator has a closure for each outcome instead of one for both.
  var hasTwoHandlers: Bool { self == .mapBoth || self == .thenBoth }

  /// Whether the handler returns a promise.
  var adopts: Bool { [.then, .rescue, .thenBoth, .alwaysThen, .body].contains(self) }
}
