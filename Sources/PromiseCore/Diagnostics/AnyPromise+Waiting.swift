/// A handler that has not returned yet, and that a pending promise waits for, or a hook if it waits for a finish.
package struct AwaitedHandler {
  /// The promise that the handler derives, or that waits for the finish of another.
  package let promise: AnyPromise
  /// The context on which the handler or hook runs.
  package let context: any ExecutionContext
  /// Describes what runs after the settlement of the promise. `nil` for a handler that derives it.
  private var work: String?

  init(promise: AnyPromise, context: any ExecutionContext, work: String? = nil) {
    self.promise = promise
    self.context = context
    self.work = work
  }

  /// Describes the handler or hook.
  package var summary: String { work ?? "the handler of \(promise.line)" }
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
  /// Release builds find only handlers that are not scheduled yet, because there a link forgets its context once it is
  /// fired. Debug builds do not find handlers on a context that was deallocated.
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
      if Finish.isUsed { promise.appendAwaitedByFinish(to: &found, &handlers) }
      if let combination = promise.combination { found += combination.requiredInputs }
      let context = promise.appendAwaitedByHandler(to: &found)
      if let context { handlers.append(AwaitedHandler(promise: promise, context: context)) }
    }
    return handlers
  }
}

extension AnyPromise {
  /// Appends the promises and the handlers for which this pending promise waits because it waits for a finish (rule
  /// 2.11).
  private final func appendAwaitedByFinish(to promises: inout [AnyPromise], _ handlers: inout [AwaitedHandler]) {
    var things = locked({ side?.awaited as? AwaitedFinish })?.awaited ?? []
    var visited: Set<ObjectIdentifier> = []
    while let thing = things.popLast() {
      switch thing {
      case .promise(let promise), .hook(_, let promise):
        if let finish = promise.currentFinish { things.append(.finish(finish)) } else { promises.append(promise) }
      case .finish(let finish):
        guard visited.insert(ObjectIdentifier(finish)).inserted else { continue }
        things += finish.awaited
        handlers += finish.awaitedHandlers(of: self)
      case .end: break
      }
    }
  }

  /// Appends the promises without each of which this promise is not settled, and returns the context of its handler.
  private final func appendAwaitedByHandler(to promises: inout [AnyPromise]) -> (any ExecutionContext)? {
    let state = lock()
    var source: AnyPromise?
    var follow: Follower?
    var maker: OwnerMaker?
    var context: (any ExecutionContext)?
    if state.isPending {
      if state.isEntry, state.stage != .ended {
        source = unsafe link.pointee.source?.strong
        // A handler for errors alone is needed only if the source is rejected.
        let isNeeded = state.stage != .waiting || traits.contains(.value)
        #if DEBUG
          if isNeeded, state.stage != .adopting { context = unsafe link.pointee.debugContext }
        #else
          if isNeeded, state.stage == .waiting { context = unsafe link.pointee.context }
        #endif
      }
      if let follows = side?.follows, follows.count == 1 { follow = follows[0] }
      if let hook = side?.hooks.first, case .makerCancelled(let made) = hook.action { maker = made }
    }
    unlock(state)
    if let source = source ?? follow?.waitingSource { promises.append(source) }
    if let maker { return maker.contextOfHandler }
    return context
  }

  fileprivate final var contextOfHandler: (any ExecutionContext)? {
    #if DEBUG
      let state = lock()
      defer { unlock(state) }
      return state.stage == .ended ? nil : unsafe link.pointee.debugContext
    #else
      return nil
    #endif
  }
}

extension Finish {
  /// The handlers and hooks that have not returned, as far as their contexts are known.
  ///
  /// - Parameter promise: a promise that waits for this finish.
  fileprivate func awaitedHandlers(of promise: AnyPromise) -> [AwaitedHandler] {
    currentNotes.compactMap { note in
      switch note {
      case .handler(let entry):
        guard let entry = entry.object, let context = entry.contextOfHandler else { return nil }
        return AwaitedHandler(promise: promise, context: context, work: entry.handlerName)
      case .hook(let place):
        guard let context = place.context else { return nil }
        return AwaitedHandler(promise: promise, context: context, work: place.name)
      case .finish, .promise, .task: return nil
      }
    }
  }
}
