/// The operator that made a promise or an observer, for descriptions.
///
/// An entry stores it beside its traits, and the result of a combinator in its combination. A promise that only its owner
/// settles has none.
@usableFromInline
package enum Operation: UInt8, Sendable {
  // Begins at 1, because traits without an operator have 0 in its place.
  case map = 1
  case then, tap, always, alwaysThen, validate, compactMap, asVoid, shielded
  case recover, rescue, `catch`, catchFailure, mapError
  case asyncMap, asyncTap, asyncAlways, asyncRecover
  case onFulfilled, onRejected, onFailed, onSettled
  case run, all, allSettled, any, race
  case chain, delay, `repeat`, forEach, reduce, retry, timeout, traverse, using
  case gate, singleFlight, lazyPromise

  /// The name of the operator, as programs write it.
  package var name: String {
    switch self {
    case .gate: "run of a gate"
    case .singleFlight: "run of a SingleFlight"
    case .lazyPromise: "LazyPromise"
    default: String(describing: self)
    }
  }
}
