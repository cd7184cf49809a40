extension AnyPromise {
  /// The promise is neither fulfilled nor rejected yet.
  public final var isPending: Bool { !resolvedCell.isDone }

  /// The promise has a value.
  public final var isFulfilled: Bool {
    let state = resolvedCell
    return state.isDone && !state.isRejected
  }

  /// The promise has an error.
  public final var isRejected: Bool {
    let state = resolvedCell
    return state.isDone && state.isRejected
  }

  /// The promise was rejected by a cancellation: its error carries the cancelled mark (rule 1.2).
  public final var isCancelled: Bool {
    let state = resolvedCell
    return state.isDone && state.isCancelled
  }

  /// The promise from which this one was derived by a link, as long as this one waits for it or runs its handler (rule 6.3).
  ///
  /// `nil` for a promise that its owner settles; for one whose handler has returned a promise; and for any from the moment on in which somebody is settling it, when
  /// ``isPending`` may still be true.
  ///
  /// - Complexity: O(1). May allocate 80 bytes for a settled parent, once, so that a cancellation of the parent finds this promise.
  public final var parent: AnyPromise? {
    let child = resolved
    guard let source = child.producer.read(Reaction.self, { $0.traits.contains(.hidesSource) ? nil : $0.source }) else {
      return nil
    }
    return child.showSource(source) ? source.forClients : nil
  }

  /// The furthest ancestor that can be reached through pending promises; the promise itself if it has no parent.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending ancestors.
  public final var root: AnyPromise {
    var promise = self
    while let parent = promise.parent { promise = parent }
    return promise
  }
}
