import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: a million pending promises")
  struct ManyPendingTests {
    /// The way in which all promises end.
    enum Ending: CaseIterable, Sendable { case fulfilled, rejected, cancelled, givenUp, ownersDropped, allDropped }

    private static let count = Effort.of(Effort.many / 10, full: Effort.many)

    /// The bound in bytes for the remaining memory. It is a tenth of the memory that the promises take.
    private static let bound = max(2 << 20, count * bytesForEach / 10)

    /// The bound in bytes for an owner, its promise, and a link with its handler.
    #if DEBUG
      private static let bytesForEach = 900
    #else
      private static let bytesForEach = 500
    #endif

    @Test(
      "Many pending promises with handlers take little memory each, and none once they are settled or released",
      .rule("6.1", "6.3"),
      arguments: Ending.allCases)
    func comeAndGo(_ ending: Ending) {
      let (context, census) = (Trampoline(), Tracked.Census())
      let before = residentBytes()
      var bytes = Int.max
      // Memory that a second run leaves behind is not a reserve of the allocator.
      let growth = leastGrowth(below: Self.bound) {
        var owners = (0..<Self.count).map { _ in Deferred<Int>() }
        var links = owners.map { owner in
          owner.promise.map(on: context) { [tracked = Tracked(census)] value in tracked.carrying(value) }
        }
        bytes = min(bytes, (residentBytes() - before) / Self.count)
        precondition(census.living == Self.count && links.allSatisfy { $0.isPending })
        switch ending {
        case .fulfilled: for (number, owner) in owners.enumerated() { owner.fulfill(number) }
        case .rejected: for owner in owners { owner.reject(TestError(1)) }
        case .cancelled: for link in links { link.cancel() }
        case .givenUp: for link in links { link.cancel(upstream: true) }
        case .ownersDropped: owners = []
        case .allDropped: (owners, links) = ([], [])
        }
        context.run()
        precondition(census.living == 0 && links.allSatisfy { !$0.isPending })
      }
      print("\(Self.count) pending promises with a handler: \(bytes) bytes each; left when \(ending): \(growth) bytes")
      #expect(bytes < Self.bytesForEach && growth < Self.bound)
    }

    @Test(
      "Many handlers of one promise take little memory each, and none once it is settled or released",
      .rule("6.1", "6.3"), arguments: [true, false])
    func manyHandlers(isSettled: Bool) {
      let (context, census) = (Trampoline(), Tracked.Census())
      let before = residentBytes()
      var bytes = Int.max
      let growth = leastGrowth(below: Self.bound) {
        do {
          let owner = Deferred<Int>()
          for _ in 0..<Self.count {
            owner.promise.onFulfilled(on: context) { [tracked = Tracked(census)] _ in tracked.carrying(()) }
          }
          bytes = min(bytes, (residentBytes() - before) / Self.count)
          if isSettled { owner.fulfill(1) }
        }
        context.run()
        precondition(census.living == 0)
      }
      print("\(Self.count) handlers of one promise: \(bytes) bytes each; left: \(growth) bytes")
      #expect(bytes < Self.bytesForEach && growth < Self.bound)
    }
  }
}
