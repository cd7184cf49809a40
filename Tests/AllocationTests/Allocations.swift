import CAllocations

/// The requests of a piece of code to the allocator, in the thread that ran it.
struct Allocations {
  /// The requested sizes in bytes, in ascending order, because the optimiser may change the order of allocations.
  let requested: [Int]
  /// The number of blocks that the code released.
  let releases: Int

  var count: Int { requested.count }

  /// The usable sizes of the blocks, as `malloc_usable_size` reports them for fresh blocks of the requested sizes.
  var usable: [Int] { requested.map { Int(allocation_usable_size(Int64($0))) } }

  /// The sum of all usable sizes. The benchmark reads it.
  var usableBytes: Int { usable.reduce(0, +) }

  /// Runs the code and counts its allocations. The result must contain the objects that the code made, because the
  /// optimiser may otherwise remove them or place them on the stack.
  ///
  /// The code runs twice, and only the second run is counted, because the first use of a generic class creates its
  /// metadata and the first use of a global its value. Neither belongs to the cost of an operation.
  @inline(never)
  static func counted<Result>(_ body: () -> Result) -> (result: Result, allocations: Allocations) {
    _ = body()
    let before = allocations_made()
    let releasedBefore = allocations_released()
    let result = body()
    let after = allocations_made()
    let releasedAfter = allocations_released()
    precondition(after - before <= ALLOCATIONS_REMEMBERED, "too many to remember their sizes")
    let requested = (before..<after).map { Int(allocation_requested_size($0)) }
    return (result, Allocations(requested: requested.sorted(), releases: Int(releasedAfter - releasedBefore)))
  }

  /// Returns how many of the blocks that the code requested it did not release.
  static func kept(_ body: () -> Void) -> Int {
    let before = allocations_made() - allocations_released()
    body()
    return Int(allocations_made() - allocations_released() - before)
  }
}
