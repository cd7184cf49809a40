public import PromiseCore

/// A promise whose handlers run on an actor, get it, and may touch its state: what `promise.on(isolatedTo: actor)` is. See
/// ``PromiseView``. It keeps the actor alive.
public struct PromiseOnActor<Value: Sendable, A: Actor>: PromiseView {
  /// The promise that is viewed.
  public let promise: Promise<Value>

  @usableFromInline let actor: A

  @usableFromInline
  init(_ promise: Promise<Value>, isolatedTo actor: A) {
    self.promise = promise
    self.actor = actor
  }
}

extension Promise {
  /// This promise, with handlers that run on an actor, down the whole chain (reference row D12). See ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @inlinable
  public func on<A: Actor>(isolatedTo actor: A) -> PromiseOnActor<Value, A> { PromiseOnActor(self, isolatedTo: actor) }
}
