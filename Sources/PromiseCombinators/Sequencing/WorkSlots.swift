import PromiseContexts
import PromiseCore

/// Limits how many elements of a `traverse` have work that runs.
final class WorkSlots: @unchecked Sendable {
  // `@unchecked` is correct because the variables are used under the lock. Under the lock nothing is released, and no
  // user code runs.
  private let lock = ShortLock()
  private var freeCount: Int
  private var waiting: Promise<Void>?
  /// The work for which slots were taken, by numbers.
  private var running: [Int: Running] = [:]
  private var takenCount = 0
  private let site: CreationSite

  /// Weak, because work that was lost must give its slot back.
  private struct Running { weak var work: AnyObject? }

  init(_ count: Int, at site: CreationSite) {
    freeCount = count
    self.site = site
  }

  /// Keeps a slot that was taken until the promise of the element has finished.
  func keep(for promise: AnyPromise) {
    let number = lock.locked {
      takenCount += 1
      running[takenCount] = Running(work: promise)
      return takenCount
    }
    promise.whenSettled { [self] settled in
      let work = settled.unfinishedWork
      lock.locked { running[number] = Running(work: work) }
      settled.whenFinished { [self] in release(number) }
    }
  }

  /// Takes a slot for the next element. Called for one element at a time.
  ///
  /// - Returns: `nil` if a slot was free. Otherwise a promise that is fulfilled when one is. Then call it again.
  func take() -> Promise<Void>? {
    if lock.locked(tryTake) { return nil }
    // Created outside the lock, because test environments observe each new promise.
    let free = ResourcePromise<Void>(at: site, waitingFor: self)
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
  private func release(_ number: Int) {
    let waiting = lock.locked {
      freeCount += 1
      running[number] = nil
      return self.waiting.take()
    }
    waiting?.fulfillIfPending(())
  }
}

extension WorkSlots: AwaitedResource {
  func name(for promise: AnyPromise) -> String { "the finish of earlier elements" }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    WaitNode(.gate, operation: "traverse", createdAt: site, summary: name(for: promise))
  }

  var awaitedWork: [AnyObject] {
    // Released outside the lock.
    lock.locked { running.keys.sorted().compactMap { running[$0]?.work } }
  }

  var maker: Operation { .traverse }
}
