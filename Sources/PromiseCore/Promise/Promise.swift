/// The eventual outcome of an operation. A promise is pending until it is fulfilled with a value or rejected with an
/// error, once and finally.
///
/// A promise is read-only. The owner makes a ``Deferred``, keeps it, and hands out its `promise`. Clients derive
/// further promises from that promise with *links*, or watch its outcome with *observers*:
///
/// ```swift
/// let deferred = Deferred<Int>()
/// let text = deferred.promise.map(on: queue) { "\($0 + 1)" }
/// deferred.fulfill(41)
/// ```
///
/// ## Where handlers run
/// A handler runs on the execution context that the caller names, **always asynchronously**. It never runs inside the
/// call that attached it, nor inside the call that settled the promise, even if the promise was already settled
/// (Promises/A+ 2.2.4; rule 2.1). It runs at most once. Handlers of one promise on one first-in-first-out context run
/// in the order in which they were attached (rule 2.2).
///
/// ## What a handler's result does
/// The value that a handler returns settles the promise derived by it. An error that it throws rejects that promise
/// (rule 2.3). If a link has no handler for an outcome, the outcome passes through at once.
///
/// ## Lifetimes
/// A chain with handlers lives until it has run, even if no client retains it. Handlers and their captures are released
/// as soon as they have run, so a handler may capture `self` strongly. If the last reference to the ``Deferred`` of a
/// pending promise is released, the promise is rejected with ``PromiseError/broken(createdAt:)`` instead of hanging
/// (rules 6.1 and 6.2).
public class Promise<Value: Sendable>: AnyPromise, @unchecked Sendable {
  // `@unchecked Sendable`, because `AnyPromise` is. This class has no stored properties of its own. `Entry` is a
  // subclass, for promises that are derived.

  /// Creates a pending promise without a source.
  @usableFromInline
  override init(pendingAt site: Site) { super.init(pendingAt: site) }

  @usableFromInline
  override init(settledAt site: Site, _ payload: Payload) { super.init(settledAt: site, payload) }

  @inline(__always)
  override init(_ word: StateWord, _ side: SideTable?, at site: Site, isNoted: Bool) {
    super.init(word, side, at: site, isNoted: isNoted)
  }

  override init(standingFor source: AnyPromise) { super.init(standingFor: source) }

  deinit {
    let state = relaxedState
    if state.isDone, !state.isRejected { Self.release(payload) }
  }

  override final func copyValue() -> Payload { copiedPayload }
  override final func destroy(_ value: Payload) { Self.release(value) }
  override final func makeClientPromise() -> AnyPromise { Promise(standingFor: self) }
  override final var typeText: String { "Promise<\(Value.self)>" }
  override final var valueText: String { oneLine(fulfilledValue, atMost: PromiseTree.longest) }
}

// MARK: - Making promises

extension Promise {
  /// Returns a promise that is already fulfilled.
  @_alwaysEmitIntoClient
  public static func fulfilled(
    _ value: Value, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    Promise(settledAt: Site(fileID, line), payload(of: value))
  }

  /// Returns a promise that is already rejected. A `CancellationError` sets the cancelled mark (rule 1.2).
  public static func rejected(
    _ error: any Error, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    rejected(error, at: Site(fileID, line))
  }

  private static func rejected(_ error: any Error, at site: Site) -> Promise {
    let promise = Promise(pendingAt: site)
    _ = promise.rejectAsOwner(error)
    return promise
  }

  /// Creates a promise that is settled with the value that the closure returns or the error that it throws. The closure
  /// runs on the calling thread, inside this call.
  ///
  /// ```swift
  /// let parsed = Promise(catching: { try JSONDecoder().decode(User.self, from: data) })
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, catching body: () throws -> Value
  ) {
    self.init(pendingAt: Site(fileID, line))
    do { _ = fulfillAsOwner(Self.payload(of: try body())) } catch { _ = rejectAsOwner(error) }
  }

  /// Creates a promise and passes its owner to the closure, which runs on the calling thread, inside this call.
  ///
  /// ```swift
  /// let answer = Promise<Data> { deferred in fetch(url, completion: deferred.resolve) }
  /// ```
  ///
  /// If the closure throws, the promise is rejected with that error. The closure keeps the ``Deferred`` for as long as
  /// it may still settle the promise. When the last reference to it is released, a pending promise is rejected with
  /// ``PromiseError/broken(createdAt:)``.
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: (Deferred<Value>) throws -> Void
  ) {
    self.init(pendingAt: Site(fileID, line))
    let deferred = Deferred(of: self)
    do { try body(deferred) } catch { deferred.reject(error, at: nil) }
  }

  /// Creates a promise and passes its owner to the closure, which runs on a context.
  ///
  /// If the promise is cancelled before the closure starts, the closure never runs (rule 2.5). Otherwise as
  /// ``init(fileID:line:_:)``.
  public convenience init(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Deferred<Value>) throws -> Void
  ) {
    self.init(pendingAt: Site(fileID, line))
    let maker = OwnerMaker(of: self)
    register(OwnerHook(action: .makerCancelled(maker)))
    maker.start(
      on: context,
      HandlerBody { [self] _, _ in
        // The hook that ends the maker runs after handlers of this promise were scheduled.
        guard isPending else { return .nothing }
        let deferred = Deferred(of: self)
        do { try body(deferred) } catch { deferred.reject(error, at: nil) }
        return .nothing
      })
  }

  /// Returns a promise for the value that the closure returns or the error that it throws. The closure runs on the
  /// context.
  ///
  /// If the promise is cancelled before the closure starts, the closure never runs (rule 2.5).
  @_alwaysEmitIntoClient
  public static func run(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) -> Promise {
    started(on: context, at: Site(fileID, line), body: HandlerBody { _, _ in Promise<Value>.result(of: body) })
  }

  /// Returns an owner with a pending promise. Equivalent to `Deferred<Value>()`, under a name that no other module has.
  @_alwaysEmitIntoClient
  public static func deferred(fileID: StaticString = #fileID, line: UInt = #line) -> Deferred<Value> {
    Deferred(fileID: fileID, line: line)
  }
}

extension Promise where Value == Never {
  /// Returns a rejected promise where the type of the value cannot be inferred, as in `then { _ in .rejected(error) }`.
  /// The compiler then chooses a promise that cannot have a value.
  @_documentation(visibility: internal)
  public static func rejected(
    _ error: any Error, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    rejected(error, at: Site(fileID, line))
  }
}

extension Promise where Value == Void {
  /// Returns a promise that is already fulfilled with `()`.
  @_alwaysEmitIntoClient
  public static func fulfilled(fileID: StaticString = #fileID, line: UInt = #line) -> Promise {
    Promise(settledAt: Site(fileID, line), Payload())
  }
}
