import PromiseCore

/// What was made in a world, as long as it lives.
final class Census: Sendable {
  private struct Entry {
    weak var object: AnyObject?
    /// `nil`: a promise, which knows it.
    let site: CreationSite?
  }

  private struct Content {
    var entries: [Entry] = []
    var limit = 64

    /// From time to time, so that a long test does not grow by what has gone. Returns what lives: ours may be the last
    /// reference, and is let go where no lock is held.
    mutating func forgetWhatHasGone() -> [AnyObject?] {
      let living = entries.map(\.object)
      entries = zip(entries, living).filter { $1 != nil }.map { $0.0 }
      limit = max(64, entries.count * 2)
      return living
    }
  }

  private let content = Locked(Content())

  /// - Parameter site: of what is no promise.
  func add(_ object: AnyObject, from site: CreationSite? = nil) {
    let held = content.withLock { content in
      defer { content.entries.append(Entry(object: object, site: site)) }
      return content.entries.count < content.limit ? [] : content.forgetWhatHasGone()
    }
    withExtendedLifetime(held) {}
  }

  /// The promises that live, in the order in which they were made.
  var promises: [AnyPromise] { living.compactMap { $0.site == nil ? $0.object as? AnyPromise : nil } }

  /// Everything else that lives, and where the world was told of it.
  var others: [(object: AnyObject, site: CreationSite)] {
    living.compactMap { entry in entry.site.map { (entry.object, $0) } }
  }

  private var living: [(object: AnyObject, site: CreationSite?)] {
    content.withLock { $0.entries.compactMap { entry in entry.object.map { ($0, entry.site) } } }
  }
}
