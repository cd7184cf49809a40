import Testing

@Suite("Coverage of the leak suite") struct ListingTests {
  private static var functions: [String] {
    get throws { try Listing.modulesWithOperations.flatMap { try Listing($0).functions } }
  }

  @Test("Every public function of every module has a leak test or an exception with a reason", .rule("6.3"))
  func complete() throws {
    let listed = try Self.functions.filter { Exception.of($0) == nil }
    let covered = Operation.listed.map(\.name)
    let missing = Self.difference(listed, covered)
    let unknown = Self.difference(covered, listed)
    #expect(missing.isEmpty, "public functions without a leak test")
    #expect(unknown.isEmpty, "leak tests of what is not listed")
    #expect(listed.count > 250)
  }

  @Test("Every exception covers a public function that no earlier exception covers", .rule("6.3"))
  func exceptions() throws {
    // An exception that comes after a broader one covers nothing either.
    let needed = Set(try Self.functions.compactMap { Exception.of($0)?.prefix })
    let stale = Exception.all.map(\.prefix).filter { !needed.contains($0) }
    #expect(stale.isEmpty)
  }

  /// Returns the names that occur more often in the first list than in the second.
  private static func difference(_ one: [String], _ other: [String]) -> [String] {
    var counts: [String: Int] = [:]
    for name in other { counts[name, default: 0] += 1 }
    return one.filter { name in
      counts[name, default: 0] -= 1
      return counts[name, default: 0] < 0
    }.sorted()
  }
}
