import CAllocations
import Foundation
import Testing

extension MemoryTests {
  /// Tests the counter, on which all other tests of this target rely.
  @Suite("The allocation counter") struct CounterTests {
    /// A class with two words after the header of 16 bytes.
    private final class Pair: Sendable {
      let first = 1
      let second = 2
    }

    @Test("The counter records every kind of allocation and release")
    func kinds() {
      let (addresses, allocations) = Allocations.counted {
        unsafe [malloc(1), malloc(100), calloc(10, 20), aligned_alloc(64, 128), aligned(256), realloc(nil, 300)]
          .map { UInt(bitPattern: $0) }
      }
      // The two arrays are blocks, too. Each has a header of 32 bytes and 6 words.
      #expect(allocations.requested.filter { $0 != 80 } == [1, 100, 128, 200, 256, 300])
      for address in addresses { unsafe free(UnsafeMutableRawPointer(bitPattern: address)) }
      // A block that grows counts as one release and one allocation.
      let (address, growing) = Allocations.counted { unsafe UInt(bitPattern: realloc(malloc(50), 5_000)) }
      #expect(growing.requested == [50, 5_000])
      #expect(growing.releases == 1)
      unsafe free(UnsafeMutableRawPointer(bitPattern: address))
    }

    @Test("The counter records the objects of the Swift runtime, and nothing where nothing is allocated")
    func nothing() {
      let (sum, allocations) = Allocations.counted { (1...100).reduce(0, &+) }
      #expect(sum == 5_050)
      #expect(allocations.count == 0)
      #expect(allocations.releases == 0)
      let (_, object) = Allocations.counted { Pair() }
      #expect(object.requested == [32])
      #expect(object.usable == [40])
    }

    @Test("Growth separates the allocations of each step from occasional allocations")
    func growth() {
      let growth = Growth.counted { count in
        var pairs: [Pair] = []
        for _ in 0..<count { pairs.append(Pair()) }
        return pairs
      }
      #expect(growth.perStep == [32])
      #expect(growth.kept == 1)
      #expect(growth.others < 8)
    }

    @Test("The counter ignores the allocations of other threads")
    func otherThreads() {
      let thread = DispatchQueue(label: "other")
      let (_, allocations) = Allocations.counted {
        // `sync` would run the closure in this thread. The semaphore makes sure that another thread runs it.
        let done = DispatchSemaphore(value: 0)
        thread.async {
          for _ in 0..<40 { blackHole(Pair()) }
          done.signal()
        }
        done.wait()
      }
      #expect(!allocations.requested.contains(32))
    }

    @Test("The counter agrees with malloc_usable_size about fresh blocks")
    func usableSizes() {
      for size in [1, 24, 25, 40, 65, 72, 73, 500, 1_000] {
        // Some of the 200 blocks are fresh, and no block is smaller than a fresh block.
        let blocks = (0..<200).map { _ in unsafe UInt(bitPattern: malloc(size)) }
        let sizes = blocks.map { allocation_actual_size($0) }
        for block in blocks { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
        #expect(sizes.min() == allocation_usable_size(Int64(size)))
      }
    }

    private func aligned(_ size: Int) -> UnsafeMutableRawPointer? {
      var block: UnsafeMutableRawPointer?
      return unsafe posix_memalign(&block, 64, size) == 0 ? block : nil
    }
  }
}

/// Uses a value in a way that the optimiser cannot see through.
@inline(never)
func blackHole<Value>(_ value: Value) { withExtendedLifetime(value) {} }
