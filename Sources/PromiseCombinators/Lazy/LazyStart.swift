import PromiseCore

/// What starts a lazy promise, once: first whatever it is made from, then itself. A loop, however long the chain, and
/// so is its end (rule 6.4).
final class LazyStart: @unchecked Sendable {
  // `@unchecked`: touched under the lock. What is taken out goes, and runs, outside (rule 6.5).
  private let lock = ShortLock()
  private var pendingStart: PendingStart?

  /// What is needed until it starts.
  private struct PendingStart {
    var upstream: LazyStart?
    let start: @Sendable () -> Void
  }

  /// - Parameters:
  ///   - upstream: what must be started before.
  ///   - start: must not keep `upstream`.
  init(after upstream: LazyStart? = nil, _ start: @escaping @Sendable () -> Void) {
    pendingStart = PendingStart(upstream: upstream, start: start)
  }

  var isPending: Bool { lock.locked { pendingStart != nil } }

  private var upstream: LazyStart? { lock.locked { pendingStart?.upstream } }

  private func takePendingStart() -> PendingStart? { lock.locked { pendingStart.take() } }

  /// - Returns: `false` if it was started, or cancelled, before.
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

  /// It will not start any more.
  ///
  /// - Returns: `false` if it was started, or cancelled, before.
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
