public import PromiseContexts
public import PromiseCore

/// Work that begins when its outcome is requested for the first time, and whose outcome all clients share.
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
/// - **Clients**: each read of ``promise`` returns a new promise. A client that cancels it, or whose limit on it expires,
///   affects no other client (rule 4.10). When the last consumer of the work has given up, the closure's promise is
///   given up, with everything that it waits for. The lazy promise has then not started any more, and the next client
///   starts it anew (rule 4.6). Releasing a promise does not give it up, and ``start()`` is no consumer.
/// - **Cancellation**: ``cancel(reason:upstream:)`` ends the lazy promise for all clients, present and future. If it has
///   not started, it never starts. Otherwise the closure's promise is given up (rule 4.6).
/// - **Outcome**: a settled lazy promise keeps its outcome, and releases its closure. The same holds for an outcome that
///   is cancelled because the work has cancelled itself. Until then the closure is retained, because it may be called
///   again.
/// - **Progress**: 0 until the start. After that it is the progress of the work. An observer of progress does not keep
///   the work going, and sees nothing of work that is started anew.
///
/// Before the start, lazy promises are independent of each other. Cancelling one does not cancel those that are derived
/// from it; these are rejected when they start. If the last reference to a lazy promise is released before it starts,
/// the work never begins, and no handler of its chain runs.
public final class LazyPromise<Value: Sendable>: Sendable {
  let lazyStart: LazyStart
  let site: CreationSite

  /// Creates a lazy promise.
  ///
  /// - Parameters:
  ///   - upstream: is started before this one.
  ///   - make: returns the promise. Called once for each start. It must retain neither `upstream` nor this lazy
  ///     promise.
  init(
    at site: CreationSite, after upstream: LazyStart? = nil, _ make: @escaping @Sendable () -> Promise<Value>
  ) {
    self.site = site
    // The closure was brought here, so it runs in the tracing context of this call, and not of the one that starts it.
    let tracing = CapturedContext()
    let make = tracing.isEmpty ? make : { @Sendable in tracing.run(make) }
    lazyStart = LazyStart(after: upstream) { slot in
      let started = make()
      guard let requested = slot.fill(started) else { return }
      // Safe, because both are promises of this lazy promise. If the requested promise was cancelled or given up while
      // the work was being started, this gives the started one up (rule 3.1).
      _ = unsafe unsafeDowncast(requested, to: Promise<Value>.self).followIfPending(started)
    }
  }

  /// Creates a lazy promise that the closure settles through a ``/PromiseCore/Deferred``, as `Promise(on:)` does.
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: the file in which the lazy promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work, for each start. It must retain the ``/PromiseCore/Deferred`` until it has settled the promise. If it
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
  /// Whether the work was started or cancelled. It is `false` again after the last client has given up.
  public var isStarted: Bool { !lazyStart.isPending }

  /// Starts the work, after the lazy promises that this one is derived from.
  ///
  /// The call does not count as a client. So the first client that gives up stops the work, if there is no other.
  ///
  /// - Returns: `false` if the work was started or cancelled before, and the last client has not given up since.
  @discardableResult
  public func start() -> Bool { lazyStart.start() }

  /// A new promise for one client, which has the outcome of the work. Reading this property starts the work.
  ///
  /// Cancelling the promise, with `upstream: true` or without, affects no other client. When the last client has given
  /// up, the work is given up, and the next client starts it anew (rules 4.6 and 4.10). So read it once for each client.
  /// The promise shows no ``/PromiseCore/AnyPromise/parent``.
  public var promise: Promise<Value> { lazyStart.promiseForClient(at: site) }

  /// The value. Reading this property starts the work, and waits for it. See ``/PromiseCore/Promise/value``.
  public var value: Value {
    get async throws { try await lazyStart.value(at: site, cancelsSource: false) }
  }

  /// Starts the work, and returns its value. If the Task is cancelled, it gives the work up if `cancelsSource` is true.
  /// Other clients keep the work going. See ``/PromiseCore/Promise/value(cancelsSource:)``.
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    try await lazyStart.value(at: site, cancelsSource: cancelsSource)
  }

  /// Cancels the lazy promise for all its clients, present and future. If the work has not started, it never does. See
  /// ``/PromiseCore/AnyPromise/cancel()``. A client that gives up for itself cancels its own ``promise``.
  public func cancel() { cancel(reason: CancellationError()) }

  /// Cancels the lazy promise for all its clients, present and future, with a reason. If the work has not started, it
  /// never does. The promise that its closure has returned is given up, whatever the value of `upstream` (rule 4.6). See
  /// ``/PromiseCore/AnyPromise/cancel(reason:upstream:)``.
  ///
  /// A client that gives up for itself cancels its own ``promise``. If the last client gives up at the same time, its
  /// reason may become that of the lazy promise (rule 4.3).
  public func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    lazyStart.cancel()
    lazyStart.promise { Promise<Value>(pendingAt: site) }.cancel(reason: reason, upstream: upstream)
  }

  /// Calls the closure with the promise of the work, which is started if necessary. Observers are attached to that
  /// promise, so that those that are no consumers (rule 4.0) do not keep the work going.
  @usableFromInline
  func withWork(_ attach: (Promise<Value>) -> Void) { lazyStart.withWork(at: site, attach) }

  /// The promise of the work. `nil` if it has not started, or the next client starts it anew.
  private var work: Promise<Value>? {
    // Safe, because the slots contain promises of this type only.
    lazyStart.current.map { unsafe unsafeDowncast($0, to: Promise<Value>.self) }
  }
}

// MARK: - Properties that do not start the work

extension LazyPromise {
  /// The outcome, or `nil` if the promise is not settled. See ``/PromiseCore/Promise/result``.
  public var result: Result<Value, any Error>? { work?.result }

  /// Whether the promise is not settled: the work has not started, or is in progress.
  public var isPending: Bool { work?.isPending ?? true }

  /// Whether the promise was cancelled. See ``/PromiseCore/AnyPromise/isCancelled``.
  public var isCancelled: Bool { work?.isCancelled ?? false }

  /// The progress of the work, from 0 to 1. See ``/PromiseCore/AnyPromise/progress``.
  public var progress: Double { work?.progress ?? 0 }
}

extension LazyPromise: CustomDebugStringConvertible {
  /// Describes the promise as ``/PromiseCore/AnyPromise/debugDescription`` does, or says that its work has not started.
  public var debugDescription: String {
    if let work { return "LazyPromise of \(work.debugDescription)" }
    return "LazyPromise<\(Value.self)>, \(isStarted ? "started" : "not started"), made at \(site)"
  }
}
