import Dispatch
public import PromiseCore

// Hooks on the main actor and on other actors, beside those on an `ExecutionContext` in PromiseCore.

extension Deferred {
  /// Calls a hook on the main actor when the promise is cancelled.
  ///
  /// The closure may touch the state of the main actor. See ``/PromiseCore/Deferred/onCancel(on:_:)``.
  public func onCancel(on context: MainContext, _ hook: @escaping @MainActor (_ reason: any Error) -> Void) {
    // A world that ends drops the hook, which then must run on the main thread.
    onCancel(on: MainContext.context, orElseOn: DispatchQueue.sharedMain) { reason in
      MainContext.assumeIsolated { hook(reason) }
    }
  }

  /// Calls a hook on an actor when the promise is cancelled.
  ///
  /// The closure gets the actor, and may touch its state. See ``/PromiseCore/Deferred/onCancel(on:_:)``.
  public func onCancel<A: Actor>(
    isolatedTo actor: A, _ hook: @escaping @Sendable (_ actor: isolated A, _ reason: any Error) -> Void
  ) {
    onCancel(on: ActorContext(actor)) { reason in actor.assumeIsolated { hook($0, reason) } }
  }

  /// Calls a hook on the main actor when the promise is cancelled, whose promise says when the work has stopped.
  ///
  /// The closure may touch the state of the main actor. See ``/PromiseCore/Deferred/onCancelThen(on:fileID:line:_:)``.
  public func onCancelThen<Ended: Sendable>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @MainActor (_ reason: any Error) -> Promise<Ended>
  ) {
    let site = CreationSite(fileID: fileID, line: line)
    addAwaitedCancelHook(on: MainContext.context, orElseOn: DispatchQueue.sharedMain, at: site) { reason in
      MainContext.assumeIsolated { hook(reason) }
    }
  }

  /// Calls a hook on the main actor when the promise is settled, whatever settles it. Its promise says when the work
  /// has stopped.
  ///
  /// The closure may touch the state of the main actor. See ``/PromiseCore/Deferred/onEndThen(on:fileID:line:_:)``.
  public func onEndThen<Ended: Sendable>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @MainActor (_ result: Result<Value, any Error>) -> Promise<Ended>
  ) {
    let site = CreationSite(fileID: fileID, line: line)
    addAwaitedEndHook(on: MainContext.context, orElseOn: DispatchQueue.sharedMain, at: site) { result in
      MainContext.assumeIsolated { hook(result) }
    }
  }

  /// Calls a hook on the main actor when the promise is settled, whatever settles it.
  ///
  /// The closure may touch the state of the main actor. See ``/PromiseCore/Deferred/onEnd(on:_:)``.
  public func onEnd(
    on context: MainContext, _ hook: @escaping @MainActor (_ result: Result<Value, any Error>) -> Void
  ) {
    addEndHook(on: MainContext.context, orElseOn: DispatchQueue.sharedMain) { result in
      MainContext.assumeIsolated { hook(result) }
    }
  }

  /// Calls a hook on an actor when the promise is settled, whatever settles it.
  ///
  /// The closure gets the actor, and may touch its state. See ``/PromiseCore/Deferred/onEnd(on:_:)``.
  public func onEnd<A: Actor>(
    isolatedTo actor: A, _ hook: @escaping @Sendable (_ actor: isolated A, _ result: Result<Value, any Error>) -> Void
  ) {
    onEnd(on: ActorContext(actor)) { result in actor.assumeIsolated { hook($0, result) } }
  }
}
