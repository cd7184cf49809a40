public import PromiseCore

/// A promise together with the place where its handlers run, so that each link need not name it (reference row D12).
///
/// ```swift
/// promise.on(queue)
///   .map { $0 + 1 }  // on the queue
///   .tap { print($0) }  // on the queue
///   .on(.main)
///   .tap { screen.total = $0 }  // on the main actor
/// ```
///
/// A view has the links and observers of a promise; each returns a view of the same kind, so the place is inherited
/// along the chain. It derives nothing and settles nothing by itself: what a link does to the promise is what it does
/// without a view, and to make a view costs no allocation. All else is asked of ``promise``.
///
/// There are three kinds, one for each kind of closure: ``PromiseOnContext``, ``PromiseOnMain`` and ``PromiseOnActor``.
public protocol PromiseView<Value>: Sendable {
  /// That of the promise.
  associatedtype Value: Sendable

  /// The promise that is viewed: the one that the last link derived.
  var promise: Promise<Value> { get }
}

extension PromiseView {
  /// The same promise, with handlers on another context from here on.
  @inlinable
  public func on(_ context: any ExecutionContext) -> PromiseOnContext<Value> { promise.on(context) }

  /// The same promise, with handlers on the main actor from here on.
  @inlinable
  public func on(_ context: MainContext) -> PromiseOnMain<Value> { promise.on(context) }

  /// The same promise, with handlers on an actor from here on.
  @inlinable
  public func on<A: Actor>(isolatedTo actor: A) -> PromiseOnActor<Value, A> { promise.on(isolatedTo: actor) }

  /// Cancels the promise: see ``/PromiseCore/AnyPromise/cancel()``.
  public func cancel() { promise.cancel() }

  /// Cancels the promise, and gives up its source on demand: see ``/PromiseCore/AnyPromise/cancel(reason:upstream:)``.
  public func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    promise.cancel(reason: reason, upstream: upstream)
  }

  /// The value, or the error as a throw: see ``/PromiseCore/Promise/value``. It comes where the Task runs, not where
  /// handlers do.
  @inlinable
  public nonisolated(nonsending) var value: Value {
    get async throws { try await promise.value }
  }

  /// The same, of a Task that gives the promise up when it is cancelled: see ``/PromiseCore/Promise/value(cancelsSource:)``.
  @inlinable
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    try await promise.value(cancelsSource: cancelsSource)
  }
}
