// The links: each derives a new promise. What they have in common is said once, at `Promise` and at `map`.

extension Promise {
  /// Derives a promise for what the closure makes of the value.
  ///
  /// The closure runs on `context` once this promise is fulfilled, never inside this call. If it throws, the derived
  /// promise is rejected with that error; if this promise is rejected, so is the derived one, and the closure is released
  /// unrun. (Promises/A+ 2.2.7; rules 2.1 to 2.4.)
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - type: the type of the result, where the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of the progress, beside that of the links before and the root's 1 (rule 5.4). Negative or no
  ///     number: 0.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - transform: value to value.
  /// - Complexity: O(1): two allocations and the closure's.
  @inlinable
  public func map<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    let site = Site(fileID, line)
    let body = ValueHandler(transform).body { transform, from, to in
      let verdict = Promise<U>.settle(to) { try transform(Promise<Value>.value(of: from)) }
      #if DEBUG
        if case .settled = verdict { Promise<U>.downcast(to).noteMappedValue() }
      #endif
      return verdict
    }
    return .derived(from: self, at: site, on: context, handling: .value, weight: weight, body: body)
  }

  /// Derives a promise that becomes what the promise returned by the closure becomes.
  ///
  /// As ``map(on:to:weight:fileID:line:_:)``, and the derived promise adopts the one that the closure returns: its
  /// outcome and its cancelled mark, without a further hop (Promises/A+ 2.3.2; rule 2.6). A loop of `then` runs in flat
  /// memory (rule 3.3). To return a promise that waits for the derived one rejects with
  /// ``PromiseError/cycle(createdAt:)`` (rule 3.2).
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - type: the type of the result, where the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of the progress, beside that of the links before and the root's 1 (rule 5.4). Negative or no
  ///     number: 0.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - transform: value to promise.
  /// - Complexity: O(1); to adopt, see ``Deferred/follow(_:)``.
  @inlinable
  public func then<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    let site = Site(fileID, line)
    let body = ValueAdopter(transform).body { transform, from, to in
      Promise<U>.adopt(to) { try transform(Promise<Value>.value(of: from)) }
    }
    return .derived(from: self, at: site, on: context, handling: [.value, .adopts], weight: weight, body: body)
  }

  /// Derives a promise for what one of two closures makes of the outcome; both on the same context.
  ///
  /// As ``map(on:to:weight:fileID:line:_:)``, for values and errors alike. What `fulfilled` throws is *not* seen by `rejected`:
  /// of the two only one runs (Promises/A+ 2.2).
  ///
  /// To only look at the outcome, without making a value of it, use ``onSettled(on:_:)``, whose result may be discarded.
  @inlinable
  public func map<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> U,
    rejected: @escaping @Sendable (any Error) throws -> U
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return .derived(
      from: self, at: site, on: context, weight: weight,
      fulfilled: ValueHandler(fulfilled).body { fulfilled, from, to in
        Promise<U>.settle(to) { try fulfilled(Promise<Value>.value(of: from)) }
      },
      rejected: ErrorHandler(rejected).body { rejected, from, to in
        guard let error = from.errorMarkingHandled else { return .nothing }
        return Promise<U>.settle(to) { try rejected(error) }
      })
  }

  /// Derives a promise that becomes what the promise returned by one of two closures becomes.
  ///
  /// The two-handler form of Promises/A+ 2.2; a handler that is left out there is spelt
  /// ``then(on:to:weight:fileID:line:_:)`` or ``rescue(on:fileID:line:_:)`` here.
  @inlinable
  public func then<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return .derived(
      from: self, at: site, on: context, handling: .adopts, weight: weight,
      fulfilled: ValueAdopter(fulfilled).body { fulfilled, from, to in
        Promise<U>.adopt(to) { try fulfilled(Promise<Value>.value(of: from)) }
      },
      rejected: ErrorAdopter(rejected).body { rejected, from, to in
        guard let error = from.errorMarkingHandled else { return .nothing }
        return Promise<U>.adopt(to) { try rejected(error) }
      })
  }

  /// Derives a promise with the same outcome, once the closure has seen the value.
  ///
  /// If the closure throws, the derived promise is rejected with that error. Errors pass.
  @inlinable @discardableResult
  public func tap(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise {
    map(on: context, weight: 0, fileID: fileID, line: line) { value in
      try body(value)
      return value
    }
  }

  /// Derives a promise with the same outcome, once the closure has seen that there is one.
  ///
  /// The closure sees what the derived promise is going to be and cannot change it (reference row D10). The rejection
  /// stays one that nobody looked at (rule 7.1).
  @inlinable @discardableResult
  public func always(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueObserver(body).body { body, from, to in
      body(Promise<Value>.downcast(from).outcome)
      return Promise<Value>.pass(from, to)
    }
    return .derived(from: self, at: site, on: context, handling: [.value, .error, .always], body: body)
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// ```swift
  /// let age = form.age.validate(message: "a user must be an adult") { $0 >= 18 }
  /// ```
  ///
  /// The predicate runs on `context`. If it returns `false`, the derived promise is rejected with `error`, or else with
  /// ``PromiseError/validationFailed(value:message:createdAt:)``. If it throws, the derived promise is rejected with that error. A rejection
  /// of this promise passes through.
  ///
  /// - Parameters:
  ///   - context: where the predicate runs.
  ///   - message: what is wrong with a value that is refused, for the error.
  ///   - error: replaces the library's error.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - predicate: returns whether the value is accepted.
  /// - Complexity: that of ``map(on:to:weight:fileID:line:_:)``. A refused value is described, unless `error` is given.
  @inlinable
  public func validate(
    on context: any ExecutionContext, message: String? = nil, error: (any Error)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise {
    let site = Site(fileID, line)
    // In one word, so that the closure stays small.
    let reason = error ?? message.map { RefusalMessage($0) }
    return map(on: context, weight: 0, fileID: fileID, line: line) { value in
      guard try predicate(value) else { throw refusal(of: value, because: reason, at: site) }
      return value
    }
  }

  /// Derives a promise for what the closure makes of the value, and rejects with ``PromiseError/noValue(createdAt:)``
  /// where that is nothing. Errors pass; a throw rejects.
  @inlinable
  public func compactMap<U: Sendable>(
    on context: any ExecutionContext, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U?
  ) -> Promise<U> {
    let site = Site(fileID, line)
    return map(on: context, weight: weight, fileID: fileID, line: line) { value in
      guard let result = try transform(value) else { throw PromiseError.noValue(createdAt: CreationSite(site)) }
      return result
    }
  }

  /// Derives a promise that only says when this one is fulfilled. Runs no code of yours, and so needs no context.
  @inlinable
  public func asVoid(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    let site = Site(fileID, line)
    let body = ReactionBody { _, to in Promise<Void>.settle(to) {} }
    return .derived(from: self, at: site, on: nil, handling: [], body: body)
  }
}
