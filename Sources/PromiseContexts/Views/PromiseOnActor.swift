public import PromiseCore

/// A view of a promise whose handlers run on an actor. `promise.on(isolatedTo: actor)` returns it.
///
/// Handlers get the isolated actor, and may access its state. The view retains the actor. See ``PromiseView``.
public struct PromiseOnActor<Value: Sendable, A: Actor>: PromiseView {
  /// The promise of this view.
  public let promise: Promise<Value>

  @usableFromInline let actor: A

  @usableFromInline
  init(_ promise: Promise<Value>, isolatedTo actor: A) {
    self.promise = promise
    self.actor = actor
  }
}

extension Promise {
  /// Returns a view of this promise whose handlers run on an actor, in the whole chain that follows. See
  /// ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @_alwaysEmitIntoClient
  public func on<A: Actor>(isolatedTo actor: A) -> PromiseOnActor<Value, A> { PromiseOnActor(self, isolatedTo: actor) }
}
