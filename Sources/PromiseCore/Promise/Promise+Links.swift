// The links. Each link derives a new promise. Their common behaviour is documented at `Promise` and at `map`.

extension Promise {
  /// Returns a promise for the transformed value.
  ///
  /// The closure runs on `context` once this promise is fulfilled, never inside this call. If it throws, the derived
  /// promise is rejected with that error. If this promise is rejected, the derived promise is rejected with the same
  /// error, and the closure is released without running. If the derived promise is cancelled before the closure starts,
  /// the closure is also released without running. (Promises/A+ 2.2.7; rules 2.1 to 2.5.)
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - type: the type of the result, where the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of this link in the progress of the chain, relative to the weights of the links before it
  ///     and to the 1 of the root (rule 5.4). By default a transformation has no share, so the derived promise shows the
  ///     progress of this promise. Give a closure that takes long a weight. A negative weight and NaN count as 0.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - transform: returns the new value.
  /// - Complexity: O(1). One allocation, and those of the closure.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 0,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: consuming @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    mapped(by: .map, on: context, weight: weight, at: Site(fileID, line), consume transform)
  }

  @_alwaysEmitIntoClient
  func mapped<U: Sendable>(
    by operation: Operation, on context: any ExecutionContext, weight: Double = 0, at site: Site,
    _ transform: consuming @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    let body = ValueHandler.body(consume transform) { transform, from, to in
      Promise<U>.result {
        let value = try transform(Promise<Value>.value(of: from))
        #if DEBUG
          noteMappedValue(value, by: to)
        #endif
        return value
      }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.value, .made(by: operation)], weight: weight, body: consume body)
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// The closure runs as in ``map(on:to:weight:fileID:line:_:)``. The derived promise takes over the outcome of the
  /// returned promise and its cancelled mark, without a further hop (Promises/A+ 2.3.2; rule 2.6). A recursive loop of
  /// `then` runs in flat memory (rule 3.3). If the closure returns a promise that waits for the derived promise, the
  /// derived promise is rejected with ``PromiseError/cycle(createdAt:ring:)`` (rule 3.2). If the derived promise is
  /// cancelled, it gives up the returned promise (rule 4.4).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - type: the type of the result, where the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of this link in the progress of the chain, relative to the weights of the links before it
  ///     and to the 1 of the root (rule 5.4). A negative weight and NaN count as 0.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - transform: returns the promise to adopt.
  /// - Complexity: O(1). For the adoption, see ``Deferred/follow(_:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: consuming @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    let site = Site(fileID, line)
    let body = ValueAdopter.body(consume transform) { transform, from, to in
      Promise<U>.adoption { try transform(Promise<Value>.value(of: from)) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.value, .made(by: .then)], weight: weight, body: consume body)
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// The closure for the outcome of this promise runs on `context`, as in ``map(on:to:weight:fileID:line:_:)``. An
  /// error that `fulfilled` throws is *not* passed to `rejected` (Promises/A+ 2.2). If the derived promise is cancelled
  /// first, `fulfilled` does not run, but `rejected` runs if this promise is rejected (rule 2.5).
  ///
  /// To observe the outcome without transforming it, use ``onSettled(on:_:)``, whose result may be discarded.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 0,
    fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> U,
    rejected: @escaping @Sendable (any Error) throws -> U
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return .derived(
      from: self, at: site, on: context, by: .map, weight: weight,
      fulfilled: ValueHandler.body(fulfilled) { fulfilled, from, to in
        Promise<U>.result { try fulfilled(Promise<Value>.value(of: from)) }
      },
      rejected: HandlerBody { from, _ in
        guard let error = from.errorMarkingHandled else { return .nothing }
        return Promise<U>.result { try rejected(error) }
      })
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// This is the form with two handlers of Promises/A+ 2.2. To leave out a handler, use
  /// ``then(on:to:weight:fileID:line:_:)`` or ``rescue(on:fileID:line:_:)``. The closures run as in
  /// ``map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return .derived(
      from: self, at: site, on: context, by: .then, weight: weight,
      fulfilled: ValueAdopter.body(fulfilled) { fulfilled, from, to in
        Promise<U>.adoption { try fulfilled(Promise<Value>.value(of: from)) }
      },
      rejected: HandlerBody { from, _ in
        guard let error = from.errorMarkingHandled else { return .nothing }
        return Promise<U>.adoption { try rejected(error) }
      })
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// The closure runs on `context` if this promise is fulfilled. If it throws, the derived promise is rejected with
  /// that error. A rejection passes through.
  @_alwaysEmitIntoClient @discardableResult
  public func tap(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise {
    mapped(by: .tap, on: context, at: Site(fileID, line)) { value in
      try body(value)
      return value
    }
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// ```swift
  /// let order = form.submit().tapThen { order in mail.sendReceipt(for: order) }
  /// ```
  ///
  /// The closure runs on `context` if this promise is fulfilled, as in ``map(on:to:weight:fileID:line:_:)``. When the
  /// promise that it returns is fulfilled, the derived promise is fulfilled with the value of this promise.
  ///
  /// - Failure: if the returned promise is rejected, so is the derived promise, with the same error and its cancelled
  ///   mark (rule 1.2). If the closure throws, the derived promise is rejected with that error. A rejection of this
  ///   promise passes through, and the closure is released without running.
  /// - Cancelling the derived promise before the closure has started releases the closure (rule 2.5). Later it gives up
  ///   the returned promise (rule 4.4). For work that a cancellation must not stop, use
  ///   ``alwaysThen(on:fileID:line:_:)``.
  /// - Progress: that of this promise, and then that of the returned promise (rule 5.4).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - weight: the share of this link in the progress of the chain, relative to the weights of the links before it
  ///     and to the 1 of the root (rule 5.4). A negative weight and NaN count as 0.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - body: returns the promise to wait for, of any type.
  /// - Complexity: O(1). One link more than ``then(on:to:weight:fileID:line:_:)`` has.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen(
    on context: any ExecutionContext, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Value) throws -> AnyPromise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueHandler.body(consume body) { body, from, to in
      let source = Promise<Value>.downcast(from)
      return Promise<Value>.adoption { source.passed(after: try body(Promise<Value>.value(of: from)), to: to) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.value, .made(by: .tapThen)], weight: weight, body: consume body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// The closure runs once, on `context`, and cannot change the outcome. If the derived promise is cancelled while this
  /// promise is pending, the closure sees the reason of the cancellation (rule 2.5). The closure does not handle a
  /// rejection (rule 7.1).
  @_alwaysEmitIntoClient @discardableResult
  public func always(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueObserver.body(consume body) { body, from, to in
      body(Promise<Value>.downcast(from).outcome)
      return .passes(isHandled: false)
    }
    return .derived(
      from: self, at: site, on: context, handling: [.value, .error, .always, .made(by: .always)], body: consume body)
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// ```swift
  /// let rows = connection.query(text).alwaysThen { _ in connection.rollBack() }
  /// ```
  ///
  /// The closure begins the cleanup, and returns a promise for its end. It runs once, on `context`, with the outcome of
  /// this promise. If the derived promise is cancelled while this promise is pending, the closure gets the reason of
  /// the cancellation, as that of ``always(on:fileID:line:_:)`` does (rule 2.5). It does not handle a rejection (rule
  /// 7.1).
  ///
  /// - Failure of the cleanup, also if the closure throws: its error replaces a value. It does not replace an error of
  ///   this promise, and is then reported as unhandled (rule 2.10).
  /// - Cancelling the derived promise settles it at once. It does not cancel a cleanup. If the cancellation reaches this
  ///   promise, too, the cleanup begins when the work behind this promise has finished (rule 2.11). So what *stops* that
  ///   work belongs in ``Deferred/onCancel(_:)``, and not in the cleanup, which would wait for itself.
  /// - Progress: that of this promise, because the cleanup has no weight (rule 5.4).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - body: begins the cleanup. The value of its promise does not matter.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<Cleanup: Sendable>(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueAdopter.body(consume body) { body, from, to in
      let source = Promise<Value>.downcast(from)
      return source.adoption(by: to, using: .alwaysThen) { try body(source.outcome) }
    }
    return .derived(
      from: self, at: site, on: context, handling: [.value, .error, .always, .made(by: .alwaysThen)], body: consume body
    )
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// ```swift
  /// let age = form.age.validate(message: "a user must be an adult") { $0 >= 18 }
  /// ```
  ///
  /// The predicate runs on `context`. If it returns `false`, the derived promise is rejected with `error`, or, without
  /// one, with ``PromiseError/validationFailed(value:message:createdAt:)``. If it throws, the derived promise is
  /// rejected with that error. A rejection of this promise passes through.
  ///
  /// - Parameters:
  ///   - context: where the predicate runs.
  ///   - message: what is wrong with a refused value, for the error.
  ///   - error: replaces the library's error.
  ///   - fileID: the file of the call, for errors and diagnostics.
  ///   - line: the line of the call.
  ///   - predicate: returns whether the value is accepted.
  /// - Complexity: that of ``map(on:to:weight:fileID:line:_:)``. A refused value is described, unless `error` is given.
  @_alwaysEmitIntoClient
  public func validate(
    on context: any ExecutionContext, message: String? = nil, error: (any Error)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise {
    let site = Site(fileID, line)
    // In one word, so that the closure stays small.
    let reason = error ?? message.map { ValidationMessage($0) }
    return mapped(by: .validate, on: context, at: site) { value in
      guard try predicate(value) else { throw validationError(for: value, because: reason, at: site) }
      return value
    }
  }

  /// Returns a promise for the transformed value, which is rejected with ``PromiseError/noValue(createdAt:)`` if the
  /// closure returns `nil`.
  ///
  /// Otherwise as ``map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 0,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U?
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return mapped(by: .compactMap, on: context, weight: weight, at: site) { value in
      guard let result = try transform(value) else { throw PromiseError.noValue(createdAt: CreationSite(site)) }
      return result
    }
  }

  /// Returns a promise that is fulfilled with `()` when this promise is fulfilled. A rejection passes through. Runs no
  /// code of the client, and so needs no context.
  @_alwaysEmitIntoClient
  public func asVoid(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    let site = Site(fileID, line)
    return .derived(
      from: self, at: site, on: nil, handling: [.value, .made(by: .asVoid)],
      body: HandlerBody { _, _ in .value(Payload()) })
  }
}
