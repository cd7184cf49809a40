/// A handler that has not returned yet, and without which a promise stays pending.
package struct AwaitedHandler {
  /// What the handler makes.
  package let promise: AnyPromise
  /// Where it is to run.
  package let context: any ExecutionContext
}

extension AnyPromise {
  /// Where this promise was made.
  package final var createdAt: CreationSite { CreationSite(site) }

  /// The handlers that this promise waits for, the nearest first: its own, those of its ancestors, and of promises that it has adopted.
  ///
  /// Debug builds only: elsewhere a link does not remember its context once it is fired, and this is empty. Of contexts that have
  /// gone nothing is known.
  ///
  /// - Complexity: O(*n*) of the pending promises on the way up.
  package final var awaitedHandlers: [AwaitedHandler] {
    var handlers: [AwaitedHandler] = []
    var promise = resolved
    while promise.isPending {
      var context: (any ExecutionContext)?
      var next: AnyPromise?
      _ = promise.producer.read(Link.self) { link -> Void? in
        if link.traits.contains(.forwards) {
          next = link.withAdopting { $0.inner.promise() }
        } else {
          context = link.placeIfKnown
          next = link.source
        }
        return nil
      }
      if let context { handlers.append(AwaitedHandler(promise: promise, context: context)) }
      guard let above = next?.resolved else { break }
      promise = above
    }
    return handlers
  }
}
