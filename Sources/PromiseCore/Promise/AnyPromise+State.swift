extension AnyPromise {
  /// Whether the promise is neither fulfilled nor rejected yet.
  public final var isPending: Bool { !resolvedState.isDone }

  /// Whether the promise has a value.
  public final var isFulfilled: Bool {
    let state = resolvedState
    return state.isDone && !state.isRejected
  }

  /// Whether the promise has an error.
  public final var isRejected: Bool {
    let state = resolvedState
    return state.isDone && state.isRejected
  }

  /// Whether the promise is rejected with the cancelled mark (rule 1.2).
  public final var isCancelled: Bool {
    let state = resolvedState
    return state.isDone && state.isCancelled
  }

  /// The promise from which this promise was derived by a link, while this promise waits for it or runs its handler
  /// (rule 6.3).
  ///
  /// `nil` for a promise that its owner settles, and for a promise whose handler has returned a promise. Also `nil` as
  /// soon as a thread begins to settle the promise, when ``isPending`` may still be true.
  ///
  /// - Complexity: O(1). For a settled parent, may allocate 80 bytes once, so that a cancellation of the parent finds
  ///   this promise.
  public final var parent: AnyPromise? {
    let child = resolved
    guard let source = child.producer.read(Reaction.self, { $0.traits.contains(.hidesSource) ? nil : $0.source }) else {
      return nil
    }
    return child.showSource(source) ? source.forClients : nil
  }

  /// The furthest ancestor that can be reached through ``parent``. A promise without a parent is its own root.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending ancestors.
  public final var root: AnyPromise {
    var promise = self
    while let parent = promise.parent { promise = parent }
    return promise
  }
}
