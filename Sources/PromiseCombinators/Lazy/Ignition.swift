import PromiseCore

/// What starts a lazy promise, once: first whatever it is made from, then itself. A loop, however long the chain, and
/// so is its end (rule 6.4).
final class Ignition: @unchecked Sendable {
  // `@unchecked`: touched under the lock. What is taken out goes, and runs, outside (rule 6.5).
  private let lock = ShortLock()
  private var charge: Charge?

  /// What is needed until it starts.
  private struct Charge {
    var above: Ignition?
    let start: @Sendable () -> Void
  }

  /// - Parameters:
  ///   - above: what must be started before.
  ///   - start: must not keep `above`.
  init(after above: Ignition? = nil, _ start: @escaping @Sendable () -> Void) {
    charge = Charge(above: above, start: start)
  }

  var isPending: Bool { lock.locked { charge != nil } }

  private var above: Ignition? { lock.locked { charge?.above } }

  private func take() -> Charge? { lock.locked { charge.take() } }

  /// - Returns: `false` if it was started, or put out, before.
  @discardableResult
  func start() -> Bool {
    var chain = [self]
    while let above = chain[chain.count - 1].above { chain.append(above) }
    var isStarting = false
    while let next = chain.popLast() {
      let charge = next.take()
      charge?.start()
      isStarting = charge != nil
    }
    return isStarting
  }

  /// It will not start any more.
  ///
  /// - Returns: `false` if it was started, or put out, before.
  func putOut() -> Bool { take() != nil }

  deinit {
    var next = charge?.above
    charge = nil
    while isKnownUniquelyReferenced(&next) { next = next?.detachAbove() }
  }

  private func detachAbove() -> Ignition? {
    lock.locked { charge?.above.take() }
  }
}
