// Links that wait for a cleanup, such as the release of a resource (rule 2.10).

extension Promise {
  /// Returns what the body of a link returns whose handler begins a cleanup after this settled promise.
  ///
  /// - Parameters:
  ///   - entry: the link. It takes over the outcome of this promise when the cleanup has ended.
  ///   - begin: returns the promise for the end of the cleanup.
  @usableFromInline
  final func adoption(
    by entry: AnyPromise, using operation: Operation, afterCleanup begin: () throws -> AnyPromise
  ) -> BodyResult {
    let site = CreationSite(entry.site)
    let cleanup: AnyPromise
    do {
      cleanup = try begin()
    } catch {
      let failed = Promise<Void>(pendingAt: site)
      _ = failed.rejectAsOwner(error)
      cleanup = failed
    }
    return unsafe .adopts(.passRetained(passed(afterCleanup: cleanup, by: operation, at: site)))
  }

  /// Returns a promise with the outcome of this settled promise, which settles when a cleanup has ended.
  ///
  /// An error of the cleanup replaces a value. It does not replace an error, and is then reported unless other code
  /// handles it (rule 7.1). The cleanup continues if the returned promise is cancelled.
  private func passed(afterCleanup cleanup: AnyPromise, by operation: Operation, at site: CreationSite) -> Promise {
    // A consumer that stays. Without it, a cancellation of the returned promise would give up the cleanup.
    cleanup.observe(on: nil, [.value, .error]) { _, _ in .nothing }
    let isFulfilled = !acquiredState.isRejected
    let body = HandlerBody { [self] cleanup, _ in
      if isFulfilled, cleanup.relaxedState.isRejected { return .passes(isHandled: false) }
      return unsafe .adopts(.passRetained(self))
    }
    return .derived(
      from: cleanup, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .hidesSource, .made(by: operation)], body: body)
  }

  /// Returns a promise with the outcome of this one, which waits for a cleanup after this promise is settled. This
  /// promise was returned by a combinator's closure, and belongs to the derived one.
  package final func owned(
    untilCleanup cleanup: AnyPromise, by operation: Operation, at site: CreationSite
  ) -> Promise {
    let body = HandlerBody { from, _ in
      let promise = Promise.downcast(from)
      return unsafe .adopts(.passRetained(promise.passed(afterCleanup: cleanup, by: operation, at: site)))
    }
    return .derived(
      from: self, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .owns, .made(by: operation)], body: body)
  }

  /// Returns a promise for the cleanup that the closure begins for the value of this promise.
  ///
  /// If this promise is rejected, there is nothing to clean up, and the returned promise is fulfilled. The rejection
  /// counts as handled, because another link passes it on.
  package final func cleanup(
    by operation: Operation, at site: CreationSite, _ begin: @escaping @Sendable (Value) -> Promise<Void>
  ) -> Promise<Void> {
    let body = HandlerBody { from, _ in
      if from.errorMarkingHandled != nil { return .value(Payload()) }
      return Promise<Void>.adoption { begin(Promise.value(of: from)) }
    }
    return .derived(
      from: self, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .hidesSource, .made(by: operation)], body: body)
  }
}
