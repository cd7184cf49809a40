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
  /// `nil` for a promise that its owner settles, for a promise whose handler has returned a promise, and for a settled
  /// promise.
  ///
  /// - Complexity: O(1).
  public final var parent: AnyPromise? {
    let child = resolved
    let state = child.lock()
    let isShown = state.isEntry && state.isPending && state.stage != .adopting && !child.traits.contains(.hidesSource)
    let source = isShown ? unsafe child.link.pointee.source?.strong : nil
    child.unlock(state)
    return source?.forClients
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
