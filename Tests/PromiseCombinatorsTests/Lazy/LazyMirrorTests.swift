import TestSupport
import Testing

/// Compares `LazyPromise` with `Promise`, because it repeats observers and properties. The tests
/// read Docs/API, so they find a new member of `Promise` as soon as it is listed there.
@Suite("Members that LazyPromise shares with Promise") struct LazyMirrorTests {
  /// The members of `Promise` that `LazyPromise` leaves out, with the reasons. A name without parentheses stands for
  /// all functions of that name. Links are not compared, because a chain of links is made in one closure of `derive`.
  private static let exceptions: [(reason: String, members: Set<String>)] = [
    (
      "`onRejected(on:_:)` sees the errors of all types",
      ["onRejected(only:where:_:)", "onRejected(only:where:main:_:)", "onRejected(only:where:isolatedTo:_:)"]
    ),
    ("a view repeats links, which are made in one closure of `derive`", ["on"]),
    ("`promise` starts the work, which this call needs", ["bound", "dump", "labeled", "relay", "progressUpdates"]),
    ("`result` says it without starting the work", ["state", "error", "isFulfilled", "isRejected"]),
    (
      "a client asks its own `promise`, because the work may start anew after it has finished",
      ["isFinished", "whenFinished", "cancelAndFinish"]
    ),
    ("it describes a promise that was started", ["parent", "root", "rejectionTrail", "label", "waitsFor", "causes"]),
  ]

  /// The members of `LazyPromise` that `Promise` does not have.
  private static let own: Set = ["derive(_:)", "start()", "isStarted", "promise"]

  /// Returns the instance members of the types. Omits the parameters in which the forms of a member on contexts differ,
  /// and `weight:`, because the links of `LazyPromise` have no weight.
  private static func members(of types: Set<String>) throws -> Set<String> {
    let lines = try Listing.modulesWithOperations.flatMap { try Listing($0).lines }
    return Set(lines.compactMap { member(in: $0, of: types) })
  }

  private static func member(in line: String, of types: Set<String>) -> String? {
    guard let declaration = line.firstMatch(of: /^(?:\w+\.)?(\w+): (.*)$/), types.contains(String(declaration.1)),
      !declaration.2.contains(/^(?:@\w+ )*static |\binit[?<(]/)
    else { return nil }
    if let property = declaration.2.firstMatch(of: /\bvar (\w+):/) { return String(property.1) }
    guard let name = Listing.name(of: line)?.split(separator: ".", maxSplits: 1).last else { return nil }
    return String(name).replacing("on main:", with: "main:").replacing(/([(:])(?:on|weight):/) { String($0.1) }
  }

  /// Returns the functions of `Promise` that return another promise.
  private static func links() throws -> Set<String> {
    let modules = ["PromiseCore", "PromiseContexts", "PromiseCombinators"]
    let lines = try modules.flatMap { try Listing($0).lines }.filter { $0.contains(/-> Promise</) }
    return Set(lines.compactMap { member(in: $0, of: ["Promise"]) }.filter { !$0.contains(/^on[A-Z]/) })
  }

  private static func isException(_ member: String) -> Bool {
    let name = String(member.prefix { $0 != "(" })
    return exceptions.contains { $0.members.contains(member) || $0.members.contains(name) }
  }

  @Test("LazyPromise has every observer and property of Promise, except those left out with a reason")
  func complete() throws {
    let promise = try Self.members(of: ["AnyPromise", "Promise"])
    let lazy = try Self.members(of: ["LazyPromise"])
    #expect(promise.count > 70)
    #expect(lazy.count > 25)
    let missing = promise.subtracting(lazy).subtracting(try Self.links()).filter { !Self.isException($0) }
    #expect(missing.isEmpty, "add them to LazyPromise, or to the exceptions")
    #expect(lazy.subtracting(promise) == Self.own)
  }

  @Test("Promise has each member that LazyPromise leaves out, and LazyPromise has none of them")
  func exceptionsAreNeeded() throws {
    let lazy = try Self.members(of: ["LazyPromise"])
    let leftOut = try Self.members(of: ["AnyPromise", "Promise"]).subtracting(lazy)
    for (reason, members) in Self.exceptions {
      let stale = members.filter { name in !leftOut.contains { $0 == name || $0.hasPrefix(name + "(") } }
      #expect(stale.isEmpty, "\(reason)")
      #expect(lazy.filter { members.contains($0) || members.contains(String($0.prefix { $0 != "(" })) }.isEmpty)
    }
  }
}
