import Synchronization

/// A report that a call of `cancel()` has left work that goes on, although no consumer waits for it any more (rule 4.4).
///
/// The promise was cancelled without `upstream: true`, so the promises for which it waited were left as they are. One of
/// them, or one above them, stands for work that can be stopped: its owner has a hook of ``Deferred/onCancel(_:)`` or
/// similar, or it runs in a Task of the library.
public struct UnstoppedWork: Sendable, CustomStringConvertible {
  /// The place where the promise was made for whose work this stands.
  public let createdAt: CreationSite
  /// The label of that promise, if it has one.
  public let label: String?
  /// The place where the promise was made that was cancelled.
  public let cancelledPromiseCreatedAt: CreationSite

  /// Describes in one line which work goes on, and which promise was cancelled.
  public var description: String {
    let name = label.map { " \(quotedLabel($0))" } ?? ""
    return """
      \(createdAt): the work\(name) goes on without a consumer, because the promise made at \
      \(cancelledPromiseCreatedAt) was cancelled without `upstream: true`
      """
  }
}

extension Diagnostics {
  private static let unstoppedWork = HookSlot<@Sendable (UnstoppedWork) -> Void>()

  /// Sets the hook for calls of `cancel()` that leave work without a consumer (rule 4.4). `nil` removes the hook.
  ///
  /// ```swift
  /// let page = Promise.task { try await session.page(at: url) }
  /// let title = page.map { page in page.title }
  /// title.cancel()  // The Task of `page` goes on. `title.cancel(upstream: true)` stops it.
  /// ```
  ///
  /// **Debug builds of the library alone look for such work.** In release builds, neither this hook nor
  /// ``printsUnstoppedWork`` has an effect.
  ///
  /// The hook is called by each call of `cancel` without `upstream: true`, when it is about to return, once for each
  /// place of unfinished work. The work has no other consumer, so `upstream: true` would have stopped it. A promise that
  /// a client retains without a link, an observer or a Task has no consumer (rule 4.0). If you keep a promise for later
  /// clients, hand it out by ``Promise/shielded(fileID:line:)``: that a client cancels a shield is not reported. Nor is
  /// an owner that has no hook for a cancellation, because it could not stop.
  ///
  /// A link that your program keeps, such as a `catch` at the side, is a consumer. So work for which only it waits is
  /// not reported.
  ///
  /// While no hook is set, ``printsUnstoppedWork`` decides whether the report is printed. A test world reports work of
  /// promises that were made in it.
  ///
  /// May be called at any time, from any thread.
  ///
  /// - Returns: the hook that was set before.
  /// - Complexity: O(1). In a debug build, a call of `cancel` looks at up to 1,000 promises above it.
  @discardableResult
  public static func onUnstoppedWork(
    _ hook: (@Sendable (UnstoppedWork) -> Void)?
  ) -> (@Sendable (UnstoppedWork) -> Void)? { unstoppedWork.replace(by: hook) }

  #if DEBUG
    private static let printingOfWork = Atomic<Bool>(true)
  #else
    private static let printingOfWork = Atomic<Bool>(false)
  #endif

  /// Whether debug builds print work that a call of `cancel()` has left without a consumer, while no hook of
  /// ``onUnstoppedWork(_:)`` is set. The default is `true` if the library itself is compiled for debugging.
  ///
  /// A line is printed to standard error, once for each place where a cancelled promise was made. Programs that import
  /// PromiseCore alone print nothing, because the printing code is part of PromiseContexts.
  ///
  /// May be changed at any time, from any thread.
  public static var printsUnstoppedWork: Bool {
    // Relaxed, because nothing else is published with it.
    get { printingOfWork.load(ordering: .relaxed) }
    set { printingOfWork.store(newValue, ordering: .relaxed) }
  }
}

#if DEBUG
  extension UnstoppedWork {
    /// A line for the programmer, with advice.
    fileprivate var hint: String {
      """
      \(self). With `upstream: true`, the call stops it. If the work is kept for later clients, hand it out by \
      `shielded()`, or turn this message off: `Diagnostics.printsUnstoppedWork = false`.
      """
    }
  }

  extension Diagnostics {
    /// Returns the hook for work that the cancellation of a promise in the scope has left.
    fileprivate static func unstoppedWorkHook(in scope: DiagnosticsScope?) -> (@Sendable (UnstoppedWork) -> Void)? {
      if let hook = scope?.unstoppedWork ?? unstoppedWork.current { return hook }
      guard printsUnstoppedWork, let services = ContextServices.registered else { return nil }
      return { services.print($0.hint, of: .unstoppedWork, about: $0.cancelledPromiseCreatedAt) }
    }
  }

  extension AnyPromise {
    /// Runs a body that cancels this promise without giving up its source, and reports the work that this leaves.
    final func reportingUnstoppedWork(_ cancel: () -> Void) {
      let promise = resolved
      guard promise.isPending, let hook = Diagnostics.unstoppedWorkHook(in: promise.scope) else { return cancel() }
      var awaited: [AnyPromise] = []
      if !promise.isShield { promise.appendAwaited(to: &awaited) }
      cancel()
      guard promise.isCancelled else { return }
      let left = awaited.map(\.resolved).filter { $0.isPending(withConsumers: 0) }
      for work in AnyPromise.unstoppedWork(behind: left) {
        let report = UnstoppedWork(
          createdAt: work.createdAt, label: work.label, cancelledPromiseCreatedAt: promise.createdAt)
        HookCall.call(hook, with: report)
      }
    }

    /// Returns the promises for work that would be stopped if the given promises, which have no consumer, were given
    /// up. One for each place, the nearest first.
    private static func unstoppedWork(behind left: [AnyPromise]) -> [AnyPromise] {
      var found = left
      var index = 0
      var works: [AnyPromise] = []
      var places: Set<CreationSite> = []
      while index < found.count, index < 1_000 {
        let promise = found[index]
        index += 1
        if promise.isStoppable {
          if places.insert(promise.createdAt).inserted { works.append(promise) }
        } else if !promise.isShield {
          var awaited: [AnyPromise] = []
          promise.appendAwaited(to: &awaited)
          found += awaited.map(\.resolved).filter { $0.isPending(withConsumers: 1) }
        }
      }
      return works
    }

    private final func isPending(withConsumers count: Int) -> Bool {
      let state = acquiredState
      return state.isPending && state.consumers == count
    }

    /// A cancellation of this promise goes no further up.
    private final var isShield: Bool { relaxedState.isEntry && traits.contains(.shields) }

    /// The owner of this promise has a hook that stops its work, or the work is a Task of the library.
    private final var isStoppable: Bool { locked { side?.hooks.contains(where: \.stopsWork) ?? false } }
  }

  extension OwnerHook {
    fileprivate var stopsWork: Bool {
      switch action {
      case .cancelled, .cancelledThen, .taskStopped, .endedThen: true
      case .cancelledWithin, .makerCancelled, .ended: false
      }
    }
  }
#endif
