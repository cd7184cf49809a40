import PromiseCore

/// The elements of a sequence for several who take them, and what they make of them. Only one at a time has its turn;
/// who wants one meanwhile waits for a promise.
final class TraversalState<Elements: Sequence, Output: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock, or by who has the turn. Under the lock nothing is released and no code of users' run.
  private let lock = ShortLock()
  private var isTurnTaken = false
  private var waitingTurns = CircularBuffer<Promise<Void>>()
  private var outputs: [Output?] = []

  private let iterator: IteratorBox<Elements>
  private var isExhausted = false

  init(_ elements: Elements) { iterator = IteratorBox(elements) }

  /// The turn of whoever calls, `nil`: at once.
  func acquireTurn(at site: CreationSite) -> Promise<Void>? {
    if lock.locked(tryAcquireTurn) { return nil }
    // Made, and perhaps not needed, outside the lock: those who hear of new promises may let others go, and with these code of users'.
    let turn = Promise<Void>(pendingAt: site)
    return lock.locked {
      if tryAcquireTurn() { return nil }
      waitingTurns.append(turn)
      return turn
    }
  }

  /// Under the lock. `false`: somebody has the turn.
  private func tryAcquireTurn() -> Bool {
    defer { isTurnTaken = true }
    return !isTurnTaken
  }

  /// Who has the turn gives it to the next.
  func releaseTurn() {
    let next = lock.locked {
      let next = waitingTurns.popFirst()
      isTurnTaken = next != nil
      return next
    }
    next?.fulfillIfPending(())
  }

  /// The next element, and which it is, for who has the turn.
  func next() -> (index: Int, element: Elements.Element)? {
    guard !isExhausted, let element = iterator.next() else {
      isExhausted = true
      return nil
    }
    let index = lock.locked {
      outputs.append(nil)
      return outputs.count - 1
    }
    return (index, element)
  }

  func store(_ output: Output, at index: Int) { lock.locked { outputs[index] = output } }

  /// All that was made, when nobody takes any more.
  var values: [Output] { lock.locked { outputs }.compactMap(\.self) }
}
