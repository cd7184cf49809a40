import TestSupport
import Testing

/// The ways in which a promise adopts another promise.
enum Adoption: String, CaseIterable, Sendable {
  case then, thenFulfilled, thenRejected, rescue, follow

  /// Returns a promise that has adopted the inner promise. The handler that returned the inner promise has run.
  func adopt<Value: Sendable>(_ inner: Promise<Value>) -> Promise<Value> {
    let context = ManualContext()
    let outer = attach(inner, on: context)
    #expect(context.runUntilIdle() == (self == .follow ? 0 : 1))
    return outer
  }

  /// Returns a promise that adopts the inner promise when the context runs, or at once with `follow`.
  func attach<Value: Sendable>(_ inner: Promise<Value>, on context: any ExecutionContext) -> Promise<Value> {
    switch self {
    case .then:
      return Promise.fulfilled(0).then(on: context) { _ in inner }
    case .thenFulfilled:
      return Promise.fulfilled(0).then(on: context, fulfilled: { _ in inner }, rejected: { throw $0 })
    case .thenRejected:
      return Promise<Int>.rejected(TestError(9))
        .then(on: context, fulfilled: { _ in throw TestError(8) }, rejected: { _ in inner })
    case .rescue:
      return Promise<Value>.rejected(TestError(9)).rescue(on: context) { _ in inner }
    case .follow:
      let deferred = Deferred<Value>()
      deferred.follow(inner)
      return deferred.promise
    }
  }
}
