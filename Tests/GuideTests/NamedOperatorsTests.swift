import TestSupport
import TestedCalls
import Testing

/// Compares the rules and the tables that name links, observers and combinators one by one with the lists from which
/// their tests follow.
@Suite("Operators that are named one by one") struct NamedOperatorsTests {
  private func missing(_ kinds: [LinkKind], from rule: String) throws -> Set<String> {
    Set(kinds.map { String($0.rawValue.prefix(while: \.isLetter)) })
      .subtracting(try GuideDocument("Semantics").namesInRule(rule))
  }

  private func names(of combinators: [Combinator<Int>]) -> Set<String> {
    Set(combinators.map { String($0.function.replacing("keyed ", with: "").prefix(while: \.isLetter)) })
  }

  @Test("A rule that names links one by one names each of them")
  func links() throws {
    #expect(try missing(LinkKind.observers, from: "4.0").isEmpty)
    #expect(try missing(LinkKind.links.filter(\.adopts), from: "2.6").isEmpty)
    #expect(try missing(LinkKind.links.filter(\.hasShare), from: "5.4").isEmpty)
    let handlers = LinkKind.links.filter { $0.handlesErrors }
    #expect(try missing(handlers, from: "2.5").isEmpty)
    #expect(try missing(LinkKind.observers.filter(\.handlesErrors), from: "7.1").isEmpty)
  }

  @Test("The rules about losers and progress name each combinator")
  func combinators() throws {
    let semantics = try GuideDocument("Semantics")
    #expect(names(of: Combinator.withLosers).subtracting(semantics.namesInRule("4.8")).isEmpty)
    #expect(names(of: Combinator.all).subtracting(semantics.namesInRule("5.4")).isEmpty)
  }

  @Test("The tables of Operators and of Progress name each combinator")
  func tables() throws {
    let names = names(of: Combinator.all)
    #expect(names.subtracting(try GuideDocument("Reference/Operators").namesInTables).isEmpty)
    #expect(names.subtracting(try GuideDocument("Guides/Progress").namesInTables).isEmpty)
  }
}
