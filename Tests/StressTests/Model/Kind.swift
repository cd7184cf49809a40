/// The operators that run client code, and `shielded`, which derives a promise as well.
enum Kind: String, CaseIterable, Sendable {
  case map, tap, validate, compactMap, then
  case recover, rescue, `catch`, mapError
  case mapBoth, thenBoth, always
  /// Links with a weight of their own (rule 5.4).
  case heavyMap, heavyThen, weightlessThen
  /// The handler begins a cleanup (rule 2.10).
  case alwaysThen
  case shielded
  /// `Promise.run(on:)`, and `Promise(on:)`, whose closure settles its promise or follows another, and then releases
  /// the owner.
  case run, body
  case onFulfilled, onRejected, onSettled, onFailed
  /// The model does not follow the values. `ProgressLog` checks the rules that hold for all of them.
  case onProgress
  /// A Task that waits. When the Task is cancelled, it leaves or gives up the promise.
  case waiter, cancellingWaiter

  static let links: [Kind] = [
    .map, .tap, .validate, .compactMap, .then, .recover, .rescue, .catch, .mapError, .mapBoth, .thenBoth, .always,
    .alwaysThen, .heavyMap, .heavyThen, .weightlessThen,
  ]
  /// The model of several threads does not know when cleanups begin.
  static let linksOfThreads = links.filter { $0 != .alwaysThen }
  static let observers: [Kind] = [.onFulfilled, .onRejected, .onSettled, .onFailed]
  static let observersOfThreads: [Kind] = [.onFulfilled, .onRejected, .onSettled, .onProgress]

  var handlesValues: Bool {
    ![.recover, .rescue, .catch, .mapError, .shielded, .run, .body, .onRejected, .onFailed].contains(self)
  }

  var handlesErrors: Bool {
    switch self {
    case .map, .tap, .validate, .compactMap, .then, .heavyMap, .heavyThen, .weightlessThen, .shielded, .run, .body,
      .onFulfilled:
      false
    default: true
    }
  }

  /// Whether the handler runs for a rejection of its source even if its own promise was cancelled before (rule 2.5).
  var hearsOfErrorsWhenCancelled: Bool { [.catch, .mapBoth, .thenBoth].contains(self) || runsOnce }

  /// Whether the handler runs once, whatever happens to its own promise (rule 2.5).
  var runsOnce: Bool { self == .always || self == .alwaysThen }

  var isWaiter: Bool { self == .waiter || self == .cancellingWaiter }

  /// Whether the operator has a closure for each outcome instead of one for both.
  var hasTwoHandlers: Bool { self == .mapBoth || self == .thenBoth }

  /// Whether the handler returns a promise.
  var adopts: Bool {
    switch self {
    case .then, .heavyThen, .weightlessThen, .rescue, .thenBoth, .alwaysThen, .body: true
    default: false
    }
  }
}
