import Synchronization

/// Counts its living instances, to see when payloads and captures are released.
public final class Tracked: Sendable {
  /// A count of living objects. One per test, so that tests may run side by side.
  public final class Census: Sendable {
    fileprivate let count = Atomic<Int>(0)
    fileprivate let most = Atomic<Int>(0)
    public init() {}
    public var living: Int { count.load(ordering: .sequentiallyConsistent) }
    /// The highest number that lived at one time.
    public var peak: Int { most.load(ordering: .sequentiallyConsistent) }
  }

  private let census: Census

  public init(_ census: Census) {
    self.census = census
    let living = census.count.add(1, ordering: .sequentiallyConsistent).newValue
    _ = census.most.max(living, ordering: .sequentiallyConsistent)
  }

  deinit { census.count.subtract(1, ordering: .sequentiallyConsistent) }
}
