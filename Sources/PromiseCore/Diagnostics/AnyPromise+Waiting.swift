/// A handler that has not returned yet, and that a pending promise waits for.
package struct AwaitedHandler {
  /// The promise that the handler derives.
  package let promise: AnyPromise
  /// The context on which the handler runs.
  package let context: any ExecutionContext
}

extension AnyPromise {
  /// The place where this promise was made.
  package final var createdAt: CreationSite { CreationSite(site) }

  /// The handlers that this promise waits for, the nearest first.
  ///
  /// These are its own handler and those of its ancestors, of adopted promises, and of the inputs of a combinator that
  /// needs them all. The search ends at promises that need only one of several others, as with `race`, or with an owner
  /// that follows more than one. It is unknown which of them will be needed.
  ///
  /// Only debug builds find any handlers, because in release builds a link forgets its context once it is fired.
  /// Handlers on a context that was deallocated are not found.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above.
  package final var awaitedHandlers: [AwaitedHandler] {
    var handlers: [AwaitedHandler] = []
    var found: [AnyPromise] = [self]
    var seen: Set<ObjectIdentifier> = []
    var index = 0
    while index < found.count {
      let promise = found[index].resolved
      index += 1
      guard promise.isPending, seen.insert(ObjectIdentifier(promise)).inserted else { continue }
      if let combination = promise.combination { found += combination.requiredInputs }
      var context: (any ExecutionContext)?
      _ = promise.producer.read(Reaction.self) { reaction -> Void? in
        if reaction.traits.contains(.forwards) {
          let adopted = reaction.withAdopting { $0.previousFollow == nil ? $0.adopted.promise() : nil }
          if let adopted { found.append(adopted) }
        } else {
          context = reaction.debugContext
          if let source = reaction.source { found.append(source) }
        }
        return nil
      }
      if let context { handlers.append(AwaitedHandler(promise: promise, context: context)) }
    }
    return handlers
  }
}
