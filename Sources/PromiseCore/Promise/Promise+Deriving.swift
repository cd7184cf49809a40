// The functions from which the links are built.
//
// They are inlinable and thin, so that a client's compiler builds the body of a handler where all types are concrete.
// Looking up generic metadata for every handler would take a fifth of the run time.

extension Promise {
  /// Derives a promise of this type from a promise of any type.
  ///
  /// - Parameter body: the handler for the outcomes in `traits`. `nil` if every outcome passes through.
  @_alwaysEmitIntoClient
  static func derived(
    from source: AnyPromise, at site: Site, on context: (any ExecutionContext)?, handling traits: Traits,
    weight: Double = 0, body: consuming HandlerBody?
  ) -> Promise {
    let entry = Entry<Value>(from: source, at: site, traits, weight: weight)
    source.attach(entry, on: context, consume body)
    return entry
  }

  /// Derives a promise of this type, with a body for each outcome.
  @_alwaysEmitIntoClient
  static func derived(
    from source: AnyPromise, at site: Site, on context: any ExecutionContext, by operation: Operation, weight: Double,
    fulfilled: consuming HandlerBody, rejected: consuming HandlerBody
  ) -> Promise {
    let entry = ForkedEntry<Value>(
      from: source, at: site, by: operation, weight: weight, valueBody: fulfilled)
    source.attach(entry, on: context, consume rejected)
    return entry
  }

  /// Returns a promise without a source, whose handler is scheduled at once.
  @_alwaysEmitIntoClient
  static func started(
    on context: any ExecutionContext, at site: Site, handling traits: Traits = [.value, .hidesSource, .made(by: .run)],
    body: consuming HandlerBody
  ) -> Promise {
    let entry = Entry<Value>(startingAt: site, traits)
    entry.start(on: context, consume body)
    return entry
  }

  /// Casts a promise to this type without a check.
  ///
  /// Safe, because a body is attached to a promise of the type for which it was built, and to the promise derived
  /// there.
  @_alwaysEmitIntoClient @inline(__always)
  static func downcast(_ promise: AnyPromise) -> Promise {
    unsafe unsafeDowncast(promise, to: Promise.self)
  }

  /// Returns the value of a promise of this type that is known to be fulfilled.
  @_alwaysEmitIntoClient
  static func value(of promise: AnyPromise) -> Value {
    #if DEBUG
      return reading(downcast(promise).fulfilledValue)
    #else
      return downcast(promise).fulfilledValue
    #endif
  }

  /// Returns the result of a body whose handler returns a value of this type.
  @_alwaysEmitIntoClient
  static func result(of handler: () throws -> Value) -> BodyResult {
    do { return .value(payload(of: try handler())) } catch { return .error(error) }
  }

  /// Returns the result of a body whose handler returns a promise of this type.
  @_alwaysEmitIntoClient
  static func adoption(of handler: () throws -> Promise) -> BodyResult {
    do { return unsafe .adopts(.passRetained(try handler())) } catch { return .error(error) }
  }

  /// Returns a promise with the value of this fulfilled promise, which settles after another promise. An error of that
  /// promise passes through.
  ///
  /// - Parameter entry: the link that adopts the returned promise.
  @usableFromInline
  final func passed(after other: AnyPromise, to entry: AnyPromise) -> Promise {
    .derived(
      from: other, at: entry.site, on: nil, handling: [.value, .isStep, .made(by: .tapThen)],
      body: HandlerBody { [self] _, _ in .value(Self.payload(of: Self.value(of: self))) })
  }

  /// Returns a promise with the error of this rejected promise, which settles after another promise. The rejection
  /// counts as handled. An error of the other promise passes through instead.
  ///
  /// - Parameter entry: the link that adopts the returned promise.
  @usableFromInline
  final func passedAsHandled(after other: AnyPromise, to entry: AnyPromise) -> Promise {
    let body = HandlerBody { [self] _, to in
      let handled = Promise.derived(
        from: self, at: to.site, on: nil, handling: [.error, .made(by: .catchThen)],
        body: HandlerBody { _, _ in .passes(isHandled: true) })
      return unsafe .adopts(.passRetained(handled))
    }
    // On a context, because only a handler with one may return a promise.
    return .derived(
      from: other, at: entry.site, on: InlineContext.shared, handling: [.value, .isStep, .made(by: .catchThen)],
      body: body)
  }
}
