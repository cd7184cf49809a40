import PromiseCore
import TestSupport

/// Kinds of consumers of a promise.
enum Consumer: CaseIterable, Sendable {
  case link, unheldLink, shielded, follower, adopter, onFulfilled, onSettled

  /// Attaches the consumer. Returns the owner that the test has to retain, if any.
  func attach(to promise: Promise<Int>, on context: ManualContext) -> Deferred<Int>? {
    switch self {
    case .link: return keep(promise.map(on: context) { $0 })
    case .unheldLink: promise.tap(on: context) { _ in }
    case .shielded: return keep(promise.shielded())
    case .follower:
      let deferred = Deferred<Int>()
      deferred.follow(promise)
      return deferred
    case .adopter:
      let adopter = Promise.fulfilled(1).then(on: context) { _ in promise }
      context.step()
      return keep(adopter)
    case .onFulfilled: promise.onFulfilled(on: context) { _ in }
    case .onSettled: promise.onSettled(on: context) { _ in }
    }
    return nil
  }

  /// Makes an owner that does nothing but retain the promise.
  private func keep(_ promise: Promise<Int>) -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { _ in withExtendedLifetime(promise) {} }
    return deferred
  }
}
