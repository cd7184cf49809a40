/// The outcome of something that may not have happened yet: pending, then once and for ever fulfilled with a value or
/// rejected with an error.
///
/// A promise is read-only. Whoever does the work makes a ``Deferred``, keeps it, and hands out its `promise`; whoever waits
/// for the outcome derives further promises from it, by *links*, or looks at it, by *observers*:
///
/// ```swift
/// let deferred = Deferred<Int>()
/// let text = deferred.promise.map(on: queue) { "\($0 + 1)" }
/// deferred.fulfill(41)
/// ```
///
/// ## Where handlers run
/// A handler runs on the execution context it names, **always asynchronously**: never inside the call that attached it, nor
/// inside the call that settled the promise, even if that was long settled (Promises/A+ 2.2.4; rule 2.1). It runs at most
/// once. Handlers of one promise on one first-in-first-out context run in the order in which they were attached (rule 2.2).
///
/// ## What a handler's outcome does
/// What a handler returns settles the promise derived by it; what it throws rejects that promise (rule 2.3). An outcome for
/// which a link has no handler passes through it at once.
///
/// ## Lifetimes
/// A chain with handlers lives until it has run, though nobody holds it. Handlers and what they captured are released as soon
/// as they have run, so a strong `self` in a handler is fine. If the last ``Deferred`` of a pending promise goes, the promise
/// is rejected with ``PromiseError/broken(createdAt:)``: nothing ever waits for nobody (rules 6.1 and 6.2).
public final class Promise<Value: Sendable>: AnyPromise, @unchecked Sendable {
  // `@unchecked`: nothing of its own is stored here, see `AnyPromise`.

  /// A promise that something else will settle: a deferred, or a link.
  @inlinable
  init(pendingAt site: Site) { super.init(.pending, site: site) }

  @inlinable
  init(value: Value, at site: Site) {
    super.init(.bornSettled, site: site)
    store(value)
    wasBorn()
  }

  private init(standingFor source: Promise) { super.init(standingFor: source) }

  deinit { if hasValue { destroyValue() } }

  override var typeText: String { "Promise<\(Value.self)>" }
  override var valueText: String { oneLine(fulfilledValue, atMost: PromiseTree.longest) }
  override func makeClientPromise() -> AnyPromise { Promise(standingFor: self) }
}

// MARK: - Making promises

extension Promise {
  /// A promise that is fulfilled already (reference rows B2).
  @inlinable
  public static func fulfilled(
    _ value: Value, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    Promise(value: value, at: Site(fileID, line))
  }

  /// A promise that is rejected already (reference row B3). Cancelled, if the error is a `CancellationError` (rule 1.2).
  public static func rejected(
    _ error: any Error, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    rejected(error, at: Site(fileID, line))
  }

  private static func rejected(_ error: any Error, at site: Site) -> Promise {
    let promise = Promise(pendingAt: site)
    if promise.claim(rejecting: error) { promise.publish() }
    return promise
  }

  /// Runs the closure now, in the calling thread, and settles the promise with what it returns or throws
  /// (reference row B4).
  ///
  /// ```swift
  /// let parsed = Promise(catching: { try JSONDecoder().decode(User.self, from: data) })
  /// ```
  @inlinable
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, catching body: () throws -> Value
  ) {
    self.init(pendingAt: Site(fileID, line))
    if claim(with: body) { publish() }
  }

  /// Runs the closure now, in the calling thread, with the owner of the promise; a throw rejects the promise
  /// (reference row B9).
  ///
  /// ```swift
  /// let answer = Promise<Data> { deferred in fetch(url, completion: deferred.resolve) }
  /// ```
  ///
  /// The closure keeps the ``Deferred`` for as long as it may still settle the promise.
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: (Deferred<Value>) throws -> Void
  ) {
    self.init(pendingAt: Site(fileID, line))
    let deferred = Deferred(of: self)
    do { try body(deferred) } catch { deferred.reject(error, at: nil) }
  }

  /// The same as ``init(fileID:line:_:)``, with the closure running on a context (reference row B9).
  public convenience init(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Deferred<Value>) throws -> Void
  ) {
    self.init(pendingAt: Site(fileID, line))
    // While it waits to run, the link is what would settle the promise; then the owner is.
    let body = ReactionBody { _, promise in
      let deferred = Deferred(of: Promise.downcast(promise))
      do { try body(deferred) } catch { deferred.reject(error, at: nil) }
      return .nothing
    }
    start(on: context, handling: .hasOwner, body: body)
  }

  /// A promise for what the closure, which runs on the context, returns or throws (reference rows B7 and B8).
  @inlinable
  public static func run(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) -> Promise {
    let promise = Promise(pendingAt: Site(fileID, line))
    let body = Maker(body).body { body, _, to in Promise<Value>.settle(to, by: body.closure) }
    promise.start(on: context, body: body)
    return promise
  }

  /// An owner and its pending promise. The same as `Deferred<Value>()`, under a name that no other module has.
  @inlinable
  public static func deferred(fileID: StaticString = #fileID, line: UInt = #line) -> Deferred<Value> {
    Deferred(fileID: fileID, line: line)
  }
}

extension Promise where Value == Never {
  /// As ``rejected(_:fileID:line:)``, where nothing says what the type of the value is: `then { _ in .rejected(error) }`. The compiler then
  /// chooses a promise that cannot have a value.
  @_documentation(visibility: internal)
  public static func rejected(
    _ error: any Error, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    rejected(error, at: Site(fileID, line))
  }
}

extension Promise where Value == Void {
  /// What jobs that have no promise to start from are attached to.
  @inlinable static func now(at site: Site) -> Promise { Promise(value: (), at: site) }
}

// MARK: - Settling

extension Promise {
  /// Claims and writes a value. The caller publishes.
  @inlinable
  final func claim(fulfilling value: Value) -> Bool {
    guard claim(.fulfilling) else { return false }
    store(value)
    return true
  }

  /// Claims and writes what the closure returns or throws. The caller publishes.
  @inlinable
  final func claim(with body: () throws -> Value) -> Bool {
    do { return claim(fulfilling: try body()) } catch { return claim(rejecting: error) }
  }
}
