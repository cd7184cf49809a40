import Testing

@Suite("Leaks: every public function with every ending", .leavingNothing) struct LeakTests {
  @Test(
    "A public function keeps no captures after settlement and no payloads after its promises are released",
    .rule("2.4", "4.9", "6.1", "6.3"), arguments: Operation.all)
  func leavesNothing(_ operation: Operation) async throws {
    for ending in Ending.allCases { try await operation.check(ending) }
  }
}
