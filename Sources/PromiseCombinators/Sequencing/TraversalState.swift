import PromiseCore

/// Shares a sequence among the workers of a `traverse`, and collects their values.
///
/// A worker reads the sequence only while it has the turn. Only one worker has the turn at a time; the others wait for
/// a promise.
final class TraversalState<Elements: Sequence, Output: Sendable>: @unchecked Sendable {
  typealias Next = (index: Int, element: Elements.Element)

  // `@unchecked Sendable`, because the variables are used under the lock, and `iterator`, `isExhausted` and `heldBack`
  // by the worker that has the turn. Under the lock nothing is released, and no user code runs.
  private let lock = ShortLock()
  private var isTurnTaken = false
  private var waitingTurns = CircularBuffer<Promise<Void>>()
  private var outputs: [Output?] = []

  private let iterator: IteratorBox<Elements>
  private var isExhausted = false
  private var heldBack: Next?
  /// That for which the worker with the turn may wait.
  private let awaited: AwaitedElements

  init(_ elements: Elements, _ slots: WorkSlots?, at site: CreationSite) {
    iterator = IteratorBox(elements)
    awaited = slots?.elements ?? AwaitedElements("its turn to read the next element", at: site)
  }

  /// Requests the turn for the calling worker.
  ///
  /// - Returns: `nil` if the worker has the turn at once. Otherwise a promise that is fulfilled when it gets the turn.
  func acquireTurn() -> Promise<Void>? {
    if lock.locked(tryAcquireTurn) { return nil }
    // The promise is created outside the lock, although it may not be needed. Test environments observe new promises,
    // and may then release others, whose release may run user code.
    let turn = ResourcePromise<Void>(at: awaited.site, waitingFor: awaited)
    return lock.locked {
      if tryAcquireTurn() { return nil }
      waitingTurns.append(turn)
      return turn
    }
  }

  /// Takes the turn unless another worker has it. Call under the lock.
  private func tryAcquireTurn() -> Bool {
    defer { isTurnTaken = true }
    return !isTurnTaken
  }

  /// Passes the turn to the worker that has waited longest. Call with the turn.
  func releaseTurn() {
    let next = lock.locked {
      let next = waitingTurns.popFirst()
      isTurnTaken = next != nil
      return next
    }
    next?.fulfillIfPending(())
  }

  /// Returns the next element and its index. Call with the turn.
  func next() -> Next? {
    if let next = heldBack.take() { return next }
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

  /// Lets the next call of `next` return an element again. Call with the turn.
  func putBack(_ next: Next) { heldBack = next }

  /// Leaves out the remaining elements, because the closure has thrown. Call with the turn.
  func end() { isExhausted = true }

  /// Stores the value for the element of that index.
  func store(_ output: Output, at index: Int) { lock.locked { outputs[index] = output } }

  /// The values in the order of their elements. Complete when all workers have ended.
  var values: [Output] { lock.locked { outputs }.compactMap(\.self) }
}
