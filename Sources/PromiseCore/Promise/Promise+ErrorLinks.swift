// The links that handle errors. A value passes through them at once, without a hop.

extension Promise {
  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// The closure runs on `context` if this promise is rejected. A value passes through. If the closure throws, the
  /// derived promise is rejected with that error (Promises/A+ 2.2.7). If the derived promise is cancelled first, the
  /// closure never runs and is released before `cancel` returns (rule 2.5).
  @_alwaysEmitIntoClient
  public func recover(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    recovered(by: .recover, on: context, at: Site(fileID, line), transform)
  }

  @_alwaysEmitIntoClient
  func recovered(
    by operation: Operation, on context: any ExecutionContext, at site: Site,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled else { return .passes(isHandled: false) }
      return Promise<Value>.result { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: operation)], body: consume body)
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Errors of other types pass through, as values do. Otherwise as ``recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<E: Error>(
    from type: E.Type, on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      // Not thrown again, because an error that passes through keeps its cancelled mark (rule 1.2).
      guard let error = from.errorMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
      return Promise<Value>.result { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: .recover)], body: consume body)
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// ```swift
  /// let picture = server.picture(of: user).recoverFailure { _ in placeholder }
  /// ```
  ///
  /// The closure does not run for a rejection with the cancelled mark, whatever its error is. This includes the error
  /// of ``AnyPromise/cancel(reason:upstream:)`` (rule 1.2). Such a rejection passes through, so nothing replaces what
  /// the program has cancelled. Otherwise as ``recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.failureMarkingHandled else { return .passes(isHandled: false) }
      return Promise<Value>.result { try transform(error) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .made(by: .recoverFailure)], body: consume body)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// The closure runs on `context` if this promise is rejected. A value passes through. If the closure throws, the
  /// derived promise is rejected with that error. The derived promise adopts as with
  /// ``then(on:to:weight:fileID:line:_:)`` (rule 2.6). If the derived promise is cancelled first, the closure never
  /// runs (rule 2.5).
  @_alwaysEmitIntoClient
  public func rescue(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled else { return .passes(isHandled: false) }
      return Promise<Value>.adoption { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: .rescue)], body: consume body)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Errors of other types pass through, as values do. Otherwise as ``rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<E: Error>(
    from type: E.Type, on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Promise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
      return Promise<Value>.adoption { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: .rescue)], body: consume body)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// ```swift
  /// let picture = cache.picture(of: user).rescueFailure { _ in server.picture(of: user) }
  /// ```
  ///
  /// The closure does not run for a rejection with the cancelled mark, whatever its error is. This includes the error
  /// of ``AnyPromise/cancel(reason:upstream:)`` (rule 1.2). Such a rejection passes through, so a cancellation begins
  /// no other work. Otherwise as ``rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.failureMarkingHandled else { return .passes(isHandled: false) }
      return Promise<Value>.adoption { try transform(error) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .made(by: .rescueFailure)], body: consume body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// The closure runs on `context` if and only if this promise is rejected, even if the derived promise is cancelled
  /// first (rule 2.5). A value passes through. The derived promise is rejected with the same error, and its rejection
  /// counts as handled (rule 7.1).
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let observer = HandlerBody { from, _ in
      if let error = from.errorMarkingHandled { body(error) }
      return .passes(isHandled: true)
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .keepsErrorHandler, .made(by: .catch)], body: observer)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// ```swift
  /// search.catch(only: LoadError.self, where: { $0 == .notFound }, { _ in show("there is none") })
  /// ```
  ///
  /// Errors of other types pass through without being handled, and so do errors that the predicate refuses. Otherwise as
  /// ``catch(on:fileID:line:_:)``.
  ///
  /// - Parameters:
  ///   - type: the type of the errors. For several types, it is `(any Error).self`, and the predicate looks at them.
  ///   - predicate: returns whether the closure runs for this error. It runs on `context`, before the closure. With
  ///     `nil`, the closure runs for each error of the type.
  ///   - context: where the closure runs.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - body: the closure.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: any ExecutionContext,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    // Without a predicate, the handler captures one closure, and needs no block for several.
    let observer =
      predicate.map { predicate in
        HandlerBody { from, _ in
          guard let error = from.errorMarkingHandled(as: E.self, where: predicate) else {
            return .passes(isHandled: false)
          }
          body(error)
          return .passes(isHandled: true)
        }
      }
      ?? HandlerBody { from, _ in
        guard let error = from.errorMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
        body(error)
        return .passes(isHandled: true)
      }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .keepsErrorHandler, .made(by: .catch)], body: observer)
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// ```swift
  /// let order = form.submit().catchThen { error in server.report("\(error)") }
  /// ```
  ///
  /// The closure runs on `context` if and only if this promise is rejected, as that of ``catch(on:fileID:line:_:)``
  /// does. When the promise that it returns is fulfilled, the derived promise is rejected with the error of this
  /// promise and its cancelled mark, and this rejection counts as handled (rule 7.1). A value passes through at once.
  ///
  /// - Failure: if the returned promise is rejected, so is the derived promise, with the error and the cancelled mark of
  ///   the returned promise (rule 1.2). If the closure throws, the derived promise is rejected with that error.
  /// - Cancelling the derived promise does not release the closure. The closure still runs if this promise is rejected,
  ///   even by the cancellation (rule 2.5), and the returned promise is given up (rule 4.4). For work that a
  ///   cancellation must not stop, use ``alwaysThen(on:fileID:line:_:)``.
  /// - Progress: that of this promise, because the returned promise has no share (rule 5.4).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - body: returns the promise to wait for, of any type.
  /// - Complexity: O(1). Two links more than ``rescue(on:fileID:line:_:)`` has, if this promise is rejected.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) throws -> AnyPromise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, to in
      guard let error = from.errorMarkingHandled else { return .passes(isHandled: false) }
      let source = Promise<Value>.downcast(from)
      return Promise<Value>.adoption { source.passedAsHandled(after: try body(error), to: to) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .keepsErrorHandler, .made(by: .catchThen)],
      body: consume body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// ```swift
  /// search.catchFailure { error in show("no results: \(error)") }
  /// ```
  ///
  /// The closure does not run for a rejection with the cancelled mark, whatever its error is. This includes the error
  /// of ``AnyPromise/cancel(reason:upstream:)`` (rule 1.2). Such a rejection passes through. If the derived promise is
  /// cancelled before the closure has started, the closure never runs, and the rejection counts as handled (rules 2.5
  /// and 7.1). Otherwise as ``catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let observer = HandlerBody { from, _ in
      guard let error = from.failureMarkingHandled else { return .passes(isHandled: false) }
      body(error)
      return .passes(isHandled: true)
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .isForFailures, .made(by: .catchFailure)],
      body: observer)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// ```swift
  /// search.catchFailure(only: Offline.self) { error in show("offline since \(error.since)") }
  /// ```
  ///
  /// The closure does not run for a rejection with the cancelled mark, even if its error has the type (rule 1.2). Such
  /// a rejection passes through, as errors of other types and those that the predicate refuses do, and none of them is
  /// handled. If the derived promise is cancelled before the closure has started, the closure never runs (rule 2.5). A
  /// rejection that follows a plain `cancel()` of the derived promise may be of any type, so its duty stays with the
  /// other consumers (rule 7.1). Otherwise as ``catchFailure(on:fileID:line:_:)``. The parameters are those of
  /// ``catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: any ExecutionContext,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    // Without a predicate, the handler captures one closure, and needs no block for several.
    let observer =
      predicate.map { predicate in
        HandlerBody { from, _ in
          guard let error = from.failureMarkingHandled(as: E.self, where: predicate) else {
            return .passes(isHandled: false)
          }
          body(error)
          return .passes(isHandled: true)
        }
      }
      ?? HandlerBody { from, _ in
        guard let error = from.failureMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
        body(error)
        return .passes(isHandled: true)
      }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: .catchFailure)], body: observer)
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// ```swift
  /// let photo = picker.photo().markCancelled { error in error is PickerDismissed }
  /// ```
  ///
  /// This is for an error with which another library, or another part of the program, says that the work was cancelled.
  /// If the closure returns `true`, the derived promise is rejected with the same error and with the cancelled mark
  /// (rule 1.2). So ``AnyPromise/isCancelled`` is `true`, the handlers of ``catchFailure(on:fileID:line:_:)`` and
  /// ``onFailed(on:_:)`` do not run below it, and the rejection is never reported as unhandled (rule 7.1). Neither this
  /// promise nor its other links are affected, and no work is given up.
  ///
  /// - Failure: if the closure returns `false`, the rejection passes through without being handled. The closure does
  ///   not run for a rejection that has the mark. A value passes through.
  /// - Cancelling the derived promise before the closure has started releases the closure (rule 2.5).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - predicate: returns whether the error means that the work was cancelled.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func markCancelled(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (any Error) -> Bool
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard !from.isCancelled, let error = from.storedError, predicate(error) else {
        return .passes(isHandled: false)
      }
      return .passes(isHandled: true, asCancelled: true)
    }
    return .derived(
      from: self, at: site, on: context, handling: [.error, .made(by: .markCancelled)], body: consume body)
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// The closure runs on `context` if this promise is rejected. A value passes through. If the derived promise is
  /// cancelled first, the closure never runs (rule 2.5).
  @_alwaysEmitIntoClient
  public func mapError(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> any Error
  ) -> Promise {
    recovered(by: .mapError, on: context, at: Site(fileID, line)) { error in throw try transform(error) }
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Errors of other types pass through, as values do. Otherwise as ``mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(
    from type: E.Type, on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> any Error
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
      return Promise<Value>.result { throw try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .made(by: .mapError)], body: consume body)
  }
}
