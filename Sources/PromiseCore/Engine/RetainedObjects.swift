// A bag reaches a settled promise until its queued observers have run or were taken back (rule 4.6). So these observers
// retain what tells the bag. The objects of all bags are in one list, which each observer retains once:
//
//     observer ──body──▶ RetainedObjects ──▶ binding ──▶ list of the bag        (──▶ retains)
//     observer ──body──┘                └──▶ binding ──▶ list of the bag

/// An object that observers of a settled promise retain. (A class and no protocol, because the compiler would write the
/// function below once more for each type.)
///
/// `@unchecked Sendable`, because it has no variables. Subclasses must be `Sendable`.
class RetainedObject: @unchecked Sendable {}

/// Objects that some bodies retain until they have run or were released.
///
/// `@unchecked Sendable`, because the list is accessed under the lock only.
final class RetainedObjects: @unchecked Sendable {
  // The lock is a leaf.
  private let lock = ShortLock()
  private var objects: [RetainedObject] = []

  func append(_ object: RetainedObject) { lock.locked { objects.append(object) } }
}

extension AnyPromise {
  /// Retains an object until the handlers of this settled promise's observers that a cancellation would take back have
  /// run or were taken back. Observers that retain a list share it, so the object may be retained longer.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises below.
  final func retainUntilObserversRan(_ object: RetainedObject) {
    var observers: [AnyPromise] = []
    forEachPendingBelow { if $0.traits.contains(.isTakenBack) { observers.append($0) } }
    if observers.isEmpty { return }
    var known: RetainedObjects?
    for observer in observers where known == nil { known = observer.retain(nil) }
    let objects = known ?? RetainedObjects()
    objects.append(object)
    var lists = [objects]
    for observer in observers {
      // Another list, if another thread has been faster.
      guard let list = observer.retain(objects), !lists.contains(where: { $0 === list }) else { continue }
      list.append(object)
      lists.append(list)
    }
  }

  /// Makes the handler of this observer retain objects, unless it does so already, or has started. Then the body belongs
  /// to another thread.
  ///
  /// - Returns: the objects that the handler retains now.
  @inline(never)
  private final func retain(_ objects: RetainedObjects?) -> RetainedObjects? {
    withState { state in
      let hasStarted = state.stage != .waiting && state.stage != .scheduled
      guard !hasStarted, let body = unsafe link.pointee.body else { return nil }
      if unsafe link.pointee.isBodyMarked { return body.retained }
      guard let objects else { return nil }
      unsafe link.pointee.body = body.retaining(objects)
      unsafe link.pointee.isBodyMarked = true
      return objects
    }
  }

  /// Calls a body of the library once the handlers of this settled promise's observers that a cancellation would take back
  /// have run or were taken back. The last of them that is released calls it.
  package final func whenObserversRan(_ body: @escaping @Sendable () -> Void) {
    retainUntilObserversRan(CallAtRelease(body))
  }
}

private final class CallAtRelease: RetainedObject, @unchecked Sendable {
  // `@unchecked Sendable`, because the property is constant.
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
