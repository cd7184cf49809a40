import CAllocations

/// What a piece of code asked of the allocator, in the thread that ran it.
struct Allocations {
  /// The bytes asked for, smallest block first: their order in time is the optimiser's.
  let requested: [Int]
  /// How many blocks were given back meanwhile.
  let releases: Int

  var count: Int { requested.count }

  /// What the blocks take: `malloc_usable_size` of fresh blocks of these sizes.
  var usable: [Int] { requested.map { Int(allocation_usable_size(Int64($0))) } }

  /// All the blocks together.
  var usableBytes: Int { usable.reduce(0, +) }

  /// Runs the code and counts. What it made must be in the result, so that it is neither removed nor put on the stack.
  ///
  /// It runs twice, and only the second run is counted: the first use of a generic class makes its metadata, that of a
  /// global its value, and neither belongs to what an operation costs.
  @inline(never)
  static func counted<Result>(_ body: () -> Result) -> (result: Result, allocations: Allocations) {
    _ = body()
    let (before, releasedBefore) = (allocations_made(), allocations_released())
    let result = body()
    let (after, releasedAfter) = (allocations_made(), allocations_released())
    precondition(after - before <= ALLOCATIONS_REMEMBERED, "too many to remember their sizes")
    let requested = (before..<after).map { Int(allocation_requested_size($0)) }
    return (result, Allocations(requested: requested.sorted(), releases: Int(releasedAfter - releasedBefore)))
  }

  /// How many more blocks there are after the code than before.
  static func kept(_ body: () -> Void) -> Int {
    let before = allocations_made() - allocations_released()
    body()
    return Int(allocations_made() - allocations_released() - before)
  }
}
