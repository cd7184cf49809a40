import Dispatch
import PromiseContexts
import Testing

extension MemoryTests {
  /// What links take: M2 and its relatives.
  @Suite("links")
  struct LinkMemoryTests {
    /// Pending as long as the test runs.
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "links")
    /// What a handler captures; not known to the optimiser.
    private let number = Int.random(in: 1...2)

    @Test("M2, row D1: map")
    func map() {
      let (_, allocations) = Allocations.counted { promise.map(on: queue) { $0 &+ 1 } }
      print("LINK map", allocations.requested, allocations.usableBytes)
    }
    @Test("M2, row D1: map cap")
    func mapcap() {
      let (_, allocations) = Allocations.counted { [number] in promise.map(on: queue) { $0 &+ number } }
      print("LINK mapcap", allocations.requested, allocations.usableBytes)
    }
  }
}
