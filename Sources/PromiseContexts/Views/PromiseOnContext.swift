public import PromiseCore

/// A view of a promise whose handlers run on an execution context. `promise.on(queue)` returns it. See ``PromiseView``.
public struct PromiseOnContext<Value: Sendable>: PromiseView {
  /// The promise of this view.
  public let promise: Promise<Value>

  @usableFromInline let context: any ExecutionContext

  @usableFromInline
  init(_ promise: Promise<Value>, on context: any ExecutionContext) {
    self.promise = promise
    self.context = context
  }
}

extension Promise {
  /// Returns a view of this promise whose handlers run on `context`, in the whole chain that follows. See
  /// ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @_alwaysEmitIntoClient
  public func on(_ context: any ExecutionContext) -> PromiseOnContext<Value> { PromiseOnContext(self, on: context) }
}
