public import PromiseContexts
public import PromiseCore

/// Work that begins when somebody wants its outcome, and then only once (reference row B11; OMPromises' `OMLazyPromise`).
///
/// ```swift
/// let settings = LazyPromise.adopting { try server.settings(at: settingsURL) }
/// // Nothing has happened yet.
/// settings.onFulfilled { settings in apply(settings) }
/// ```
///
/// - **What starts it**: an observer, a Task that waits for ``value``, asking for its ``promise``, and ``start()``.
///   Looking at ``isStarted``, ``result`` or ``progress`` does not, nor does making another lazy promise from it.
/// - **A chain** of lazy promises, made by ``map(on:to:fileID:line:_:)`` and its like, starts upwards from its last
///   link: that one wants the outcome of the one before it, and so on.
/// - **Failure**: of what is rejected as any other promise is: a throw, or the promise that the closure returns.
/// - **Cancellation**: one that has not started never will, and is rejected. After that it is as with any promise; what
///   its closure made is given up with it, in either form (rule 4.6).
/// - **Progress**: 0 until it starts; then that of its promise (reference row J9).
///
/// As long as they have not started, lazy promises know nothing of each other: to cancel one cancels none that was made
/// from it, which will see a rejection when it starts. One that nobody holds any more goes without having begun, and no
/// handler of its chain runs.
public final class LazyPromise<Value: Sendable>: Sendable {
  let slot = PromiseSlot<Value>()
  let lazyStart: LazyStart
  let site: CreationSite

  /// - Parameter make: called once; must not keep `upstream`, nor this one.
  init(
    at site: CreationSite, after upstream: LazyStart? = nil, _ make: @escaping @Sendable () -> Promise<Value>
  ) {
    self.site = site
    lazyStart = LazyStart(after: upstream) { [slot] in slot.fill(make(), at: site) }
  }

  /// Work that settles the promise by its owner; a throw rejects it. As `Promise(on:)`.
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: where it was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: keeps the ``/PromiseCore/Deferred`` for as long as it may still settle the promise.
  public convenience init(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Deferred<Value>) throws -> Void
  ) {
    self.init(at: CreationSite(fileID: fileID, line: line)) {
      Promise(on: context, fileID: fileID, line: line, body)
    }
  }

  /// Work that is done when the closure returns. As `Promise.run`.
  public static func run(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) -> LazyPromise {
    LazyPromise(at: CreationSite(fileID: fileID, line: line)) {
      .run(on: context, fileID: fileID, line: line, body)
    }
  }

  /// Work that is done when the promise is settled which the closure returns.
  public static func adopting(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> LazyPromise {
    let site = CreationSite(fileID: fileID, line: line)
    return LazyPromise(at: site) { .startOwned(on: context, at: site, body) }
  }
}

// MARK: - Starting

extension LazyPromise {
  /// Whether it has begun, or never will, being cancelled.
  public var isStarted: Bool { !lazyStart.isPending }

  /// Starts it, and first what it is made from.
  ///
  /// - Returns: `false` if it was started before, or cancelled.
  @discardableResult
  public func start() -> Bool { lazyStart.start() }

  /// Starts it. An ordinary promise, for all that one can do with these.
  public var promise: Promise<Value> {
    lazyStart.start()
    return slot.promise(at: site)
  }

  /// Starts it, and waits for the value. See ``/PromiseCore/Promise/value``.
  public var value: Value {
    get async throws { try await promise.value }
  }

  /// The same, of a Task that gives the promise up when it is cancelled. See ``/PromiseCore/Promise/value(cancelsSource:)``.
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    try await promise.value(cancelsSource: cancelsSource)
  }

  /// Cancels it: one that has not started never will. See ``/PromiseCore/AnyPromise/cancel()``.
  public func cancel() { cancel(reason: CancellationError()) }

  /// Cancels it: one that has not started never will. What its closure made is given up in both forms (rule 4.6). See
  /// ``/PromiseCore/AnyPromise/cancel(reason:upstream:)``.
  public func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    _ = lazyStart.cancel()
    slot.promise(at: site).cancel(reason: reason, upstream: upstream)
  }
}

// MARK: - Looking, which does not start it

extension LazyPromise {
  /// The outcome; `nil` as long as there is none. See ``/PromiseCore/Promise/result``.
  public var result: Result<Value, any Error>? { slot.current?.result }

  /// Whether it is not settled: not started, or at work.
  public var isPending: Bool { slot.current?.isPending ?? true }

  /// Whether it was cancelled. See ``/PromiseCore/AnyPromise/isCancelled``.
  public var isCancelled: Bool { slot.current?.isCancelled ?? false }

  /// How far the work has come, 0...1. See ``/PromiseCore/AnyPromise/progress``.
  public var progress: Double { slot.current?.progress ?? 0 }
}
