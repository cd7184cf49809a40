import TestSupport
import Testing

@Suite("Leaks: every public function, every ending", .leavingNothing)
struct LeakTests {
  @Test(
    "rules 2.4 4.9 6.1 6.3: nothing that it was given outlives it: captures not while its promises are held, payloads not after them",
    arguments: Operation.all)
  func leavesNothing(_ operation: Operation) async throws {
    for ending in Ending.allCases { try await operation.check(ending) }
  }
}
