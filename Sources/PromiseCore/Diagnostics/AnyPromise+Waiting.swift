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

  /// The handlers that this promise waits for, the nearest first: its own, those of its ancestors, of promises that it
  /// has adopted, and of a combinator's inputs, where it needs them all. Where one of several is enough, as with
  /// `race`, or for an owner that follows more than one, nobody can tell which it will be, and the search ends.
  ///
  /// Debug builds only: elsewhere a link does not remember its context once it is fired, and this is empty. Of contexts
  /// that have gone nothing is known.
  ///
  /// - Complexity: O(*n*) of the pending promises on the way up.
  package final var awaitedHandlers: [AwaitedHandler] {
    var handlers: [AwaitedHandler] = []
    var found: [AnyPromise] = [self]
    var seen: Set<ObjectIdentifier> = []
    var index = 0
    while index < found.count {
      let promise = found[index].resolved
      index += 1
      guard promise.isPending, seen.insert(ObjectIdentifier(promise)).inserted else { continue }
      if let combination = promise.combination { found += combination.inputsNeeded }
      var context: (any ExecutionContext)?
      _ = promise.producer.read(Reaction.self) { reaction -> Void? in
        if reaction.traits.contains(.forwards) {
          let adopted = reaction.withAdopting { $0.previousFollow == nil ? $0.adopted.promise() : nil }
          if let adopted { found.append(adopted) }
        } else {
          context = reaction.placeIfKnown
          if let source = reaction.source { found.append(source) }
        }
        return nil
      }
      if let context { handlers.append(AwaitedHandler(promise: promise, context: context)) }
    }
    return handlers
  }
}
