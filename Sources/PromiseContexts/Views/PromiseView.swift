public import PromiseCore

/// A promise together with the context of its handlers, so that each call need not name the context.
///
/// ```swift
/// promise.on(queue)
///   .map { $0 + 1 }  // on the queue
///   .tap { print($0) }  // on the queue
///   .on(.main)
///   .tap { screen.total = $0 }  // on the main actor
/// ```
///
/// A view has the operators and observers of a promise. Each of them returns a view of the same kind, so the context
/// applies to the whole chain. The operators do the same as those of the promise. Creating a view derives no promise,
/// settles nothing, and needs no allocation. All other members are members of ``promise``.
///
/// There are three kinds of views, one for each kind of closure: ``PromiseOnContext``, ``PromiseOnMain`` and
/// ``PromiseOnActor``.
public protocol PromiseView<Value>: Sendable {
  /// The type of the value of the promise.
  associatedtype Value: Sendable

  /// The promise of this view. In a chain, it is the promise that the last operator derived.
  var promise: Promise<Value> { get }
}

extension PromiseView {
  /// Returns a view of the same promise whose handlers run on another context.
  @_alwaysEmitIntoClient
  public func on(_ context: any ExecutionContext) -> PromiseOnContext<Value> { promise.on(context) }

  /// Returns a view of the same promise whose handlers run on the main actor.
  @_alwaysEmitIntoClient
  public func on(_ context: MainContext) -> PromiseOnMain<Value> { promise.on(context) }

  /// Returns a view of the same promise whose handlers run on an actor.
  @_alwaysEmitIntoClient
  public func on<A: Actor>(isolatedTo actor: A) -> PromiseOnActor<Value, A> { promise.on(isolatedTo: actor) }

  /// Cancels the promise. See ``/PromiseCore/AnyPromise/cancel()``.
  public func cancel() { promise.cancel() }

  /// Cancels the promise, and gives up its source if `upstream` is true. See
  /// ``/PromiseCore/AnyPromise/cancel(reason:upstream:)``.
  public func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    promise.cancel(reason: reason, upstream: upstream)
  }

  /// Waits for the value, or throws the error. See ``/PromiseCore/Promise/value``. The Task resumes where it runs, and
  /// not on the context of the handlers.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var value: Value {
    get async throws { try await promise.value }
  }

  /// Waits for the value, or throws the error. If the Task is cancelled, it gives the promise up if `cancelsSource` is
  /// true. See ``/PromiseCore/Promise/value(cancelsSource:)``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    try await promise.value(cancelsSource: cancelsSource)
  }
}
