import PromiseCore
import TestSupport

/// The ways in which a promise adopts another.
enum Adopting: CaseIterable, Sendable {
  case then, thenBoth, rescue, follow

  struct Adopter {
    let promise: Promise<Int>
    /// The owner of a follower. The caller must retain it.
    let owner: Deferred<Int>?
  }

  /// Returns a promise that waits for `inner`.
  func adopt(_ inner: Promise<Int>, on context: ManualContext) -> Adopter {
    if self == .follow {
      let owner = Deferred<Int>()
      owner.follow(inner)
      return Adopter(promise: owner.promise, owner: owner)
    }
    let promise = derive(
      from: self == .rescue ? .rejected(TestError(1)) : .fulfilled(1), on: context, returning: { inner })
    context.step()
    return Adopter(promise: promise, owner: nil)
  }

  /// Attaches a link whose handler returns a promise.
  func derive(
    from source: Promise<Int>, on context: ManualContext, returning inner: @escaping @Sendable () -> Promise<Int>
  ) -> Promise<Int> {
    switch self {
    case .then, .follow: source.then(on: context) { _ in inner() }
    case .thenBoth: source.then(on: context, fulfilled: { _ in inner() }, rejected: { _ in inner() })
    case .rescue: source.rescue(on: context) { _ in inner() }
    }
  }
}
