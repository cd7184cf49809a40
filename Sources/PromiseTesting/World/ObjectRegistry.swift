import PromiseCore

/// The promises and tracked objects of a ``TestWorld``. It retains none of them.
final class ObjectRegistry: Sendable {
  private struct WeakObject {
    weak var object: AnyObject?
    /// `nil` for a promise, which knows its own.
    let site: CreationSite?
  }

  private struct Content {
    var objects: [WeakObject] = []
    var limit = 64
    /// Promises whose Tasks run on the main actor, and so not in the world.
    var mainActorTasks = WeakPromiseSet()

    /// Removes the deallocated objects, so that the memory of a long test is bounded.
    ///
    /// - Returns: the living objects. The caller must release them outside its lock, because these may be the last
    ///   references.
    mutating func removeReleased() -> [AnyObject?] {
      let living = objects.map(\.object)
      objects = zip(objects, living).filter { $1 != nil }.map { $0.0 }
      limit = max(64, objects.count * 2)
      return living
    }
  }

  private let content = Locked(Content())

  /// - Parameter site: where tracking began, for an object that is no promise.
  func add(_ object: AnyObject, from site: CreationSite? = nil) {
    let held = content.withLock { content in
      defer { content.objects.append(WeakObject(object: object, site: site)) }
      return content.objects.count < content.limit ? [] : content.removeReleased()
    }
    withExtendedLifetime(held) {}
  }

  /// - Parameter promise: a promise of the world whose Task runs on the main actor.
  func add(onMainActor promise: AnyPromise) {
    let held = content.withLock { $0.mainActorTasks.insert(promise) }
    withExtendedLifetime(held) {}
  }

  /// Whether a Task on the main actor has yet to settle the promise.
  func isWaitingForMainActor(_ promise: AnyPromise) -> Bool {
    promise.isPending && content.withLock { $0.mainActorTasks.contains(promise) }
  }

  /// The promises that live, in the order in which they were made.
  var promises: [AnyPromise] { living.compactMap { $0.site == nil ? $0.object as? AnyPromise : nil } }

  /// The tracked objects that live, with the places where tracking began.
  var trackedObjects: [(object: AnyObject, site: CreationSite)] {
    living.compactMap { living in living.site.map { (living.object, $0) } }
  }

  private var living: [(object: AnyObject, site: CreationSite?)] {
    content.withLock { $0.objects.compactMap { weak in weak.object.map { ($0, weak.site) } } }
  }
}
