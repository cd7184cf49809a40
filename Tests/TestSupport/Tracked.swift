import Synchronization

/// Counts its living instances, to see when payloads and captures are released.
public final class Tracked: Sendable {
  /// A count of living objects. One per test, so that tests may run side by side.
  public final class Census: Sendable {
    /// Of the test in which this one was made, see ``LeavingNothing``.
    @TaskLocal static var ofTest: Census?

    private let count = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private let larger: Census?

    public init() { larger = Census.ofTest }
    public var living: Int { count.load(ordering: .sequentiallyConsistent) }
    /// The highest number that lived at one time.
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

  /// Returns what it is given, and lives until then: for handlers that capture it.
  public func carrying<Content>(_ content: Content) -> Content { content }
}
