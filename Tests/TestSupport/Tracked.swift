import Synchronization

/// An object whose living instances are counted, so that a test sees when payloads and captures are released.
public final class Tracked: Sendable {
  /// A count of living objects. Each test has its own, so that tests may run at the same time.
  public final class Census: Sendable {
    /// The census of the current test. See ``LeavingNothing``.
    @TaskLocal static var ofTest: Census?

    private let count = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private let larger: Census?

    public init() { larger = Census.ofTest }
    public var living: Int { count.load(ordering: .sequentiallyConsistent) }
    /// The highest number of objects that were alive at the same time.
    public var peak: Int { most.load(ordering: .sequentiallyConsistent) }

    fileprivate func add() {
      let living = count.add(1, ordering: .sequentiallyConsistent).newValue
      _ = most.max(living, ordering: .sequentiallyConsistent)
      larger?.add()
    }

    fileprivate func remove() {
      count.subtract(1, ordering: .sequentiallyConsistent)
      larger?.remove()
    }
  }

  private let census: Census

  public init(_ census: Census) {
    self.census = census
    census.add()
  }

  deinit { census.remove() }

  /// Returns its argument, and keeps this object alive until then. Handlers call it to capture the object.
  public func carrying<Content>(_ content: Content) -> Content { content }
}
