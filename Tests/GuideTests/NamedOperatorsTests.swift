import TestSupport
import TestedCalls
import Testing

/// Compares the rules and the tables that name links, observers and combinators one by one with the lists from which
/// their tests follow.
@Suite("Operators that are named one by one") struct NamedOperatorsTests {
  /// Expects that a rule of Semantics names each of the links and observers.
  private func expectNames(of kinds: [LinkKind], inRule rule: String) throws {
    let missing = names(of: kinds).subtracting(try GuideDocument("Semantics").namesInRule(rule))
    #expect(missing.isEmpty, "not in rule \(rule)")
  }

  private func names(of kinds: [LinkKind]) -> Set<String> {
    Set(kinds.map { String($0.rawValue.prefix(while: \.isLetter)) })
  }

  private func names(of combinators: [Combinator<Int>]) -> Set<String> {
    Set(combinators.map { String($0.function.replacing("keyed ", with: "").prefix(while: \.isLetter)) })
  }

  @Test("A rule that names links one by one names each of them")
  func links() throws {
    try expectNames(of: LinkKind.observers, inRule: "4.0")
    try expectNames(of: LinkKind.links.filter(\.adopts), inRule: "2.6")
    try expectNames(of: LinkKind.links.filter(\.hasShare), inRule: "5.4")
    try expectNames(of: Self.seeingErrors, inRule: "2.5")
    try expectNames(of: LinkKind.observers, inRule: "2.5")
    try expectNames(of: Self.seeingErrors, inRule: "7.1")
  }

  /// The links and observers whose handlers run for some errors.
  private static let seeingErrors = LinkKind.allCases.filter { $0.handlesErrors || $0.looksAtMark }

  @Test("The guides to cancellation and progress name each link and observer that they distinguish")
  func guides() throws {
    let handlers = try GuideDocument("Guides/Cancellation").namesInTable("handlers")
    let unlisted = names(of: Self.seeingErrors + LinkKind.observers).subtracting(handlers)
    #expect(unlisted.isEmpty)
    let steps = try GuideDocument("Guides/Progress").namesInProse
    let unnamed = names(of: LinkKind.links.filter(\.hasShare)).subtracting(steps)
    #expect(unnamed.isEmpty)
  }

  @Test(
    "The rules about work that is given up and about repeated calls name each combinator whose closure makes promises")
  func sequences() throws {
    let made = Operator.all.filter { $0.value.ofMade != nil }.keys.map(GuideDocument.name)
    let combinators = Set(try GuideDocument.promising("PromiseCombinators")).intersection(made)
    // The rules mean the asynchronous forms, too. They describe lazy promises by themselves.
    let names = combinators.filter { !$0.hasPrefix("LazyPromise.") }.map { name in
      name.replacing("Promise.", with: "").replacing(/^async(.)/) { $0.1.lowercased() }
    }
    #expect(names.contains("traverse"))
    let semantics = try GuideDocument("Semantics")
    let notGivenUp = Set(names).subtracting(semantics.namesInRule("4.6"))
    #expect(notGivenUp.isEmpty)
    // These call their closures once.
    let callingOnce: Set = ["join", "using"]
    #expect(Set(names).subtracting(semantics.namesInRule("4.11")) == callingOnce)
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
