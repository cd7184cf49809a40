public import PromiseContexts
public import PromiseCore

/// A promise whose work begins when its outcome is requested for the first time.
///
/// ```swift
/// let settings = LazyPromise.adopting { try server.settings(at: settingsURL) }
/// // Nothing has happened yet.
/// settings.onFulfilled { settings in apply(settings) }
/// ```
///
/// - **Start**: an observer, a Task that waits for ``value``, a read of ``promise``, or ``start()`` starts the work.
///   Reading ``isStarted``, ``result`` or ``progress`` does not start it, and neither does deriving another lazy
///   promise from it.
/// - **Chains**: ``map(on:to:fileID:line:_:)`` and similar methods derive lazy promises. When the last one of a chain
///   starts, it first starts the ones that it is derived from.
/// - **Failure**: the promise is rejected with the error that the closure throws, or with the error of the promise that
///   the closure returns.
/// - **Cancellation**: a lazy promise that is cancelled before it starts never starts, and is rejected. After the
///   start, cancellation works as for any promise, and the promise that the closure has returned is given up
///   (rule 4.6).
/// - **Progress**: 0 until the start. After that it is the progress of the promise.
///
/// Before the start, lazy promises are independent of each other. Cancelling one does not cancel those that are derived
/// from it; these are rejected when they start. If the last reference to a lazy promise is released before it starts,
/// the work never begins, and no handler of its chain runs.
public final class LazyPromise<Value: Sendable>: Sendable {
  let slot = PromiseSlot<Value>()
  let lazyStart: LazyStart
  let site: CreationSite

  /// Creates a lazy promise.
  ///
  /// - Parameters:
  ///   - upstream: is started before this one.
  ///   - make: returns the promise. Called at most once. It must retain neither `upstream` nor this lazy promise.
  init(
    at site: CreationSite, after upstream: LazyStart? = nil, _ make: @escaping @Sendable () -> Promise<Value>
  ) {
    self.site = site
    // The closure was brought here, so it runs in the tracing context of this call, and not of the one that starts it.
    let tracing = CarriedContext()
    let make = tracing.isEmpty ? make : { @Sendable in tracing.run(make) }
    lazyStart = LazyStart(after: upstream) { [slot] in slot.fill(make()) }
  }

  /// Creates a lazy promise that the closure settles through a ``/PromiseCore/Deferred``, as `Promise(on:)` does.
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: the file in which the lazy promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work. It must retain the ``/PromiseCore/Deferred`` until it has settled the promise. If it
  ///     throws, the promise is rejected with that error.
  public convenience init(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Deferred<Value>) throws -> Void
  ) {
    self.init(at: CreationSite(fileID: fileID, line: line)) {
      Promise(on: context, fileID: fileID, line: line, body)
    }
  }

  /// Returns a lazy promise for the value that the closure returns, as `Promise.run` does.
  public static func run(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) -> LazyPromise {
    LazyPromise(at: CreationSite(fileID: fileID, line: line)) {
      .run(on: context, fileID: fileID, line: line, body)
    }
  }

  /// Returns a lazy promise that settles as the promise does that the closure returns.
  public static func adopting(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> LazyPromise {
    let site = CreationSite(fileID: fileID, line: line)
    return LazyPromise(at: site) { .startOwned(on: context, by: .lazyPromise, at: site, body) }
  }
}

// MARK: - Starting

extension LazyPromise {
  /// Whether the work was started or cancelled.
  public var isStarted: Bool { !lazyStart.isPending }

  /// Starts the work, after the lazy promises that this one is derived from.
  ///
  /// - Returns: `false` if the work was started or cancelled before.
  @discardableResult
  public func start() -> Bool { lazyStart.start() }

  /// The ordinary promise. Reading this property starts the work.
  public var promise: Promise<Value> {
    lazyStart.start()
    return slot.promise(at: site)
  }

  /// The value. Reading this property starts the work, and waits for it. See ``/PromiseCore/Promise/value``.
  public var value: Value {
    get async throws { try await promise.value }
  }

  /// Starts the work, and returns its value. If the Task is cancelled, it gives the promise up if `cancelsSource` is
  /// true. See ``/PromiseCore/Promise/value(cancelsSource:)``.
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    try await promise.value(cancelsSource: cancelsSource)
  }

  /// Cancels the promise. If the work has not started, it never does. See ``/PromiseCore/AnyPromise/cancel()``.
  public func cancel() { cancel(reason: CancellationError()) }

  /// Cancels the promise with a reason. If the work has not started, it never does. The promise that its closure has
  /// returned is given up, whatever the value of `upstream` (rule 4.6). See
  /// ``/PromiseCore/AnyPromise/cancel(reason:upstream:)``.
  public func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    _ = lazyStart.cancel()
    slot.promise(at: site).cancel(reason: reason, upstream: upstream)
  }
}

// MARK: - Properties that do not start the work

extension LazyPromise {
  /// The outcome, or `nil` if the promise is not settled. See ``/PromiseCore/Promise/result``.
  public var result: Result<Value, any Error>? { slot.current?.result }

  /// Whether the promise is not settled: the work has not started, or is in progress.
  public var isPending: Bool { slot.current?.isPending ?? true }

  /// Whether the promise was cancelled. See ``/PromiseCore/AnyPromise/isCancelled``.
  public var isCancelled: Bool { slot.current?.isCancelled ?? false }

  /// The progress of the work, from 0 to 1. See ``/PromiseCore/AnyPromise/progress``.
  public var progress: Double { slot.current?.progress ?? 0 }
}

extension LazyPromise: CustomDebugStringConvertible {
  /// Describes the promise as ``/PromiseCore/AnyPromise/debugDescription`` does, or says that its work has not started.
  public var debugDescription: String {
    if let promise = slot.current { return "LazyPromise of \(promise.debugDescription)" }
    return "LazyPromise<\(Value.self)>, \(isStarted ? "started" : "not started"), made at \(site)"
  }
}
