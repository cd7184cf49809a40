public import PromiseCore

/// A promise whose handlers run on an execution context: what `promise.on(queue)` is. See ``PromiseView``.
public struct PromiseOnContext<Value: Sendable>: PromiseView {
  /// The promise that is viewed.
  public let promise: Promise<Value>

  @usableFromInline let context: any ExecutionContext

  @usableFromInline
  init(_ promise: Promise<Value>, on context: any ExecutionContext) {
    self.promise = promise
    self.context = context
  }
}

extension Promise {
  /// This promise, with handlers that run on `context`, down the whole chain (reference row D12). See ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @inlinable
  public func on(_ context: any ExecutionContext) -> PromiseOnContext<Value> { PromiseOnContext(self, on: context) }
}
