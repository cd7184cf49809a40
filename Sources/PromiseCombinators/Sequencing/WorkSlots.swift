import PromiseContexts
import PromiseCore

/// Limits how many elements of a `traverse` have work that runs.
final class WorkSlots: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock. Under the lock nothing is released, and no
  // user code runs.
  private let lock = ShortLock()
  private var freeCount: Int
  private var waiting: Promise<Void>?
  /// The elements that have slots.
  let elements: AwaitedElements

  init(_ count: Int, at site: CreationSite) {
    freeCount = count
    elements = AwaitedElements("the finish of earlier elements", at: site)
  }

  /// Keeps a slot that was taken until the promise of the element has finished.
  func keep(for promise: AnyPromise) {
    let number = elements.begin(promise)
    promise.whenSettled { [self] settled in
      elements.settle(number, settled)
      settled.whenFinished { [self] in
        elements.end(number)
        release()
      }
    }
  }

  /// Takes a slot for the next element. Called for one element at a time.
  ///
  /// - Returns: `nil` if a slot was free. Otherwise a promise that is fulfilled when one is. Then call it again.
  func take() -> Promise<Void>? {
    if lock.locked(tryTake) { return nil }
    // Created outside the lock, because test environments observe each new promise.
    let free = ResourcePromise<Void>(at: elements.site, waitingFor: elements)
    return lock.locked {
      if tryTake() { return nil }
      waiting = free
      return free
    }
  }

  private func tryTake() -> Bool {
    if freeCount == 0 { return false }
    freeCount -= 1
    return true
  }

  /// Gives a slot back, because the work of an element has finished.
  private func release() {
    let waiting = lock.locked {
      freeCount += 1
      return self.waiting.take()
    }
    waiting?.fulfillIfPending(())
  }
}
