import PromiseCore

/// Starts a lazy promise at most once, after the lazy promises that it is derived from.
///
/// Starting and deallocation are iterative, whatever the length of the chain (rule 6.4).
final class LazyStart: @unchecked Sendable {
  // `@unchecked` is correct because `pendingStart` is used under the lock only. It is taken out under the lock, and run
  // and released outside (rule 6.5).
  private let lock = ShortLock()
  /// `nil` after the promise was started or cancelled.
  private var pendingStart: PendingStart?

  /// The parts of a start that has not happened yet.
  private struct PendingStart {
    var upstream: LazyStart?
    let start: @Sendable () -> Void
  }

  /// Creates a pending start.
  ///
  /// - Parameters:
  ///   - upstream: is started before this one.
  ///   - start: starts the promise. It must not retain `upstream`.
  init(after upstream: LazyStart? = nil, _ start: @escaping @Sendable () -> Void) {
    pendingStart = PendingStart(upstream: upstream, start: start)
  }

  var isPending: Bool { lock.locked { pendingStart != nil } }

  private var upstream: LazyStart? { lock.locked { pendingStart?.upstream } }

  private func takePendingStart() -> PendingStart? { lock.locked { pendingStart.take() } }

  /// Starts everything upstream that is pending, and then this one.
  ///
  /// - Returns: `false` if it was started or cancelled before.
  @discardableResult
  func start() -> Bool {
    var chain = [self]
    while let upstream = chain[chain.count - 1].upstream { chain.append(upstream) }
    var isStarting = false
    while let next = chain.popLast() {
      let pendingStart = next.takePendingStart()
      pendingStart?.start()
      isStarting = pendingStart != nil
    }
    return isStarting
  }

  /// Prevents the start.
  ///
  /// - Returns: `false` if it was started or cancelled before.
  func cancel() -> Bool { takePendingStart() != nil }

  deinit {
    var next = pendingStart?.upstream
    pendingStart = nil
    while isKnownUniquelyReferenced(&next) { next = next?.takeUpstream() }
  }

  private func takeUpstream() -> LazyStart? {
    lock.locked { pendingStart?.upstream.take() }
  }
}
