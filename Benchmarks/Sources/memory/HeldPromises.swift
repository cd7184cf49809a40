import CAllocations
import CHeap
import PromiseContexts

/// M3 measures the memory of a derived promise that is settled and held, as one of many.
enum HeldPromises {
  /// Returns bytes by `malloc_usable_size`, rounded up, or `nil` if the allocator does not report its memory.
  ///
  /// Each promise is derived from the promise before it, by a handler that has run before the next promise is derived.
  /// All blocks are made in this thread, where `Allocations` counts them. The allocator's own figure without a header
  /// for each block is the usable size.
  static func bytesEach(of count: Int) -> Int? {
    guard heap_bytes_in_use() >= 0 else { return nil }
    let loop = LoopContext()
    var promises: [Promise<Int>] = []
    promises.reserveCapacity(count + 1)
    promises.append(.fulfilled(0))
    // The first derivation creates the metadata of the classes and the memory of the context, which are not counted.
    derive(1, on: loop, into: &promises)
    promises.removeLast()

    let before = heap_bytes_in_use()
    let blocks = Allocations.kept { derive(count, on: loop, into: &promises) }
    let bytes = Int(heap_bytes_in_use() - before) - 8 * blocks
    return (bytes + count - 1) / count
  }

  @inline(never)
  private static func derive(_ count: Int, on loop: LoopContext, into promises: inout [Promise<Int>]) {
    for number in 1...count {
      let source = promises[promises.count - 1]
      promises.append(source.map(on: loop) { $0 &+ 1 })
      loop.run()
      precondition(promises[promises.count - 1].isFulfilled, "promise \(number) is not settled")
    }
  }
}
