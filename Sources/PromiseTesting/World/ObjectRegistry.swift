import PromiseCore

/// The promises and tracked objects of a ``TestWorld``. It retains none of them.
final class ObjectRegistry: Sendable {
  private struct Entry {
    weak var object: AnyObject?
    /// `nil` for a promise, which knows its own.
    let site: CreationSite?
  }

  private struct Content {
    var entries: [Entry] = []
    var limit = 64
    /// Promises whose Tasks run on the main actor, and so not in the world.
    var mainActorTasks = WeakPromiseSet()

    /// Removes the entries of deallocated objects, so that the memory of a long test is bounded.
    ///
    /// - Returns: the living objects. The caller must release them outside its lock, because these may be the last
    ///   references.
    mutating func removeReleasedEntries() -> [AnyObject?] {
      let living = entries.map(\.object)
      entries = zip(entries, living).filter { $1 != nil }.map { $0.0 }
      limit = max(64, entries.count * 2)
      return living
    }
  }

  private let content = Locked(Content())

  /// - Parameter site: where tracking began, for an object that is no promise.
  func add(_ object: AnyObject, from site: CreationSite? = nil) {
    let held = content.withLock { content in
      defer { content.entries.append(Entry(object: object, site: site)) }
      return content.entries.count < content.limit ? [] : content.removeReleasedEntries()
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
    living.compactMap { entry in entry.site.map { (entry.object, $0) } }
  }

  private var living: [(object: AnyObject, site: CreationSite?)] {
    content.withLock { $0.entries.compactMap { entry in entry.object.map { ($0, entry.site) } } }
  }
}
