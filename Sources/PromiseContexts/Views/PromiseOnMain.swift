public import PromiseCore

/// A promise whose handlers run on the main actor, and may touch its state: what `promise.on(.main)` is. See ``PromiseView``.
public struct PromiseOnMain<Value: Sendable>: PromiseView {
  /// The promise that is viewed.
  public let promise: Promise<Value>

  @usableFromInline
  init(_ promise: Promise<Value>) { self.promise = promise }
}

extension Promise {
  /// This promise, with handlers that run on the main actor, down the whole chain (reference row D12). See ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @inlinable
  public func on(_ context: MainContext) -> PromiseOnMain<Value> { PromiseOnMain(self) }
}
