// A bag reaches a settled promise until its queued observers have run or were taken back (rule 4.6). So these observers
// retain what tells the bag. The objects of all bags are in one list, which each observer retains once:
//
//     observer ──body──▶ RetainedObjects ──▶ binding ──▶ list of the bag        (──▶ retains)
//     observer ──body──┘                └──▶ binding ──▶ list of the bag

/// Objects that some bodies retain until they have run or were released.
///
/// `@unchecked Sendable`, because the list is accessed under the lock only.
final class RetainedObjects: @unchecked Sendable {
  // The lock is a leaf.
  private let lock = ShortLock()
  private var objects: [any AnyObject & Sendable] = []

  func append(_ object: any AnyObject & Sendable) { lock.locked { objects.append(object) } }
}

extension AnyPromise {
  /// Retains an object until the handlers of this settled promise's observers that a cancellation would take back have
  /// run or were taken back.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises below.
  package final func retainUntilObserversRan(_ object: any AnyObject & Sendable) {
    var observers: [AnyPromise] = []
    forEachPendingBelow { if $0.traits.contains(.isTakenBack) { observers.append($0) } }
    if observers.isEmpty { return }
    let objects = observers.lazy.compactMap { $0.retainedObjects }.first ?? RetainedObjects()
    objects.append(object)
    for observer in observers {
      // Another thread may have been faster.
      if let others = observer.retain(objects), others !== objects { others.append(object) }
    }
  }

  private final var retainedObjects: RetainedObjects? {
    locked { unsafe link.pointee.bodyKind == .retaining ? unsafe link.pointee.body?.retained : nil }
  }

  /// Makes the handler of this observer retain objects, unless it does so already, or has started.
  ///
  /// - Returns: the objects that the handler retains.
  private final func retain(_ objects: RetainedObjects) -> RetainedObjects? {
    withState { state in
      let hasStarted = state.stage != .waiting && state.stage != .scheduled
      guard !hasStarted, let body = unsafe link.pointee.body else { return nil }
      if unsafe link.pointee.bodyKind == .retaining { return body.retained }
      unsafe link.pointee.body = body.retaining(objects)
      unsafe link.pointee.bodyKind = .retaining
      return objects
    }
  }
}
