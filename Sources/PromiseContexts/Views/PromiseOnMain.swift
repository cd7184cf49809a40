public import PromiseCore

/// A view of a promise whose handlers run on the main actor, and may access its state. `promise.on(.main)` returns it.
/// See ``PromiseView``.
public struct PromiseOnMain<Value: Sendable>: PromiseView {
  /// The promise of this view.
  public let promise: Promise<Value>

  @usableFromInline
  init(_ promise: Promise<Value>) { self.promise = promise }
}

extension Promise {
  /// Returns a view of this promise whose handlers run on the main actor, in the whole chain that follows. See
  /// ``PromiseView``.
  ///
  /// - Complexity: O(1), no allocation.
  @_alwaysEmitIntoClient
  public func on(_ context: MainContext) -> PromiseOnMain<Value> { PromiseOnMain(self) }
}
