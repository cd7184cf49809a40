import PromiseContexts
import PromiseCore

/// Limits how many elements of a `traverse` have work that runs.
final class WorkSlots: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock. Under the lock nothing is released, and no
  // user code runs.
  private let lock = ShortLock()
  private var freeCount: Int
  private var waiting: Promise<Void>?
  /// The observers of the promises that are pending, by the numbers of their elements.
  private var observers: [Int: AttachedObserver] = [:]
  private var hasEnded = false
  /// The elements that have slots.
  let elements: AwaitedElements

  init(_ count: Int, at site: CreationSite) {
    freeCount = count
    elements = AwaitedElements("the finish of earlier elements", at: site)
  }

  /// Keeps a slot that was taken until the promise of the element has finished.
  ///
  /// - Parameter loop: the promise that is settled when the loop needs no slots any more. `end` is called then.
  func keep(for promise: AnyPromise, in loop: AnyPromise) {
    let number = elements.begin(promise)
    let observer = promise.attachObserver(on: nil, handling: [.value, .error, .isNotConsumer]) { [self] settled, _ in
      release(number, after: settled, in: loop)
      return .nothing
    }
    let isNeeded = lock.locked {
      // The observer of a settled promise has run, or will.
      if !hasEnded, promise.isPending { observers[number] = observer }
      return !hasEnded
    }
    if !isNeeded { observer.detach() }
  }

  /// Releases the slot of an element when its promise, which is settled, has finished.
  private func release(_ number: Int, after settled: AnyPromise, in loop: AnyPromise) {
    // Released outside the lock.
    _ = lock.locked { observers.removeValue(forKey: number) }
    elements.settle(number, settled)
    settled.whenFinished(neededBy: loop) { [self] in
      elements.end(number)
      release()
    }
  }

  /// Leaves the promises that are pending, because the loop has ended. So a promise that lasts longer keeps nothing of
  /// it (rule 4.9).
  func end() {
    let observers = lock.locked {
      hasEnded = true
      var all: [Int: AttachedObserver] = [:]
      swap(&all, &self.observers)
      return all
    }
    for observer in observers.values { observer.detach() }
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
