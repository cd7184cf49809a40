import Foundation
import PromiseCombinators
import TestSupport
import Testing

/// Compares the table of Docs/Reference/CancellationByOperator.md with the behaviour of the library.
@Suite("Cancellation by operator") struct OperatorTableTests {
  /// The effect on a promise according to a cell, up to the first comma or parenthesis.
  enum Verdict: String, Sendable {
    case goesOn = "goes on"
    case givenUp = "given up"
    case cancelled
    case none = "–"

    init?(_ cell: String) {
      let end = cell.firstIndex { ",(".contains($0) } ?? cell.endIndex
      let verdict = cell[..<end].trimmingCharacters(in: .whitespaces)
      self.init(rawValue: verdict.replacing(" by the last client", with: ""))
    }

    /// Creates the effect from two runs. In the first run the result is the only consumer of the promise. In the second
    /// run the promise has another consumer.
    init(stopsAlone: Bool, stopsShared: Bool) {
      self = stopsShared ? .cancelled : stopsAlone ? .givenUp : .goesOn
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let cells: [String]
    var testDescription: String { name }

    /// The rows of the document. A row for several operators occurs once for each operator that has an entry in
    /// `Operator.all`.
    static let all: [Row] = {
      let table = (try? GuideDocument("Reference/CancellationByOperator").table("operators")) ?? []
      return table.flatMap { cells in
        GuideDocument.spans(of: cells[0]).filter { Operator.all[$0] != nil }.map { Row(name: $0, cells: cells) }
      }
    }()
  }

  /// Returns the effect on the promise that an operator gets when `act` is applied to the result. The promise is a link
  /// behind some work, which must stop with the promise.
  private func verdict(_ make: Operator.Making, _ act: (TestWorld, any Cancellable) -> Void) throws -> Verdict {
    func cancelled(shared: Bool) throws -> (source: Bool, work: Bool) {
      try TestWorld.run(checking: []) { world in
        let work = Deferred<Int>()
        let source = work.promise.map { $0 }
        let other = shared ? source.map { $0 } : nil
        let result = make(source)
        world.runUntilIdle()
        act(world, result)
        world.runUntilIdle()
        return withExtendedLifetime((other, result)) { (source.isCancelled, work.promise.isCancelled) }
      }
    }
    let alone = try cancelled(shared: false)
    let shared = try cancelled(shared: true)
    let verdict = Verdict(stopsAlone: alone.source, stopsShared: shared.source)
    // If the operator itself cancels its source, the cancellation does not reach the work unless the call asks for
    // that.
    if verdict != .cancelled { #expect(alone.work == alone.source, "the work behind the source") }
    return verdict
  }

  @Test(
    "A cancellation, a failure and an expired limit affect the source and the work of a closure as the table says",
    .rule("3.4", "4.2", "4.4", "4.6", "4.7", "4.8", "4.10"), arguments: Row.all)
  func effects(_ row: Row) throws {
    let calls = try #require(Operator.all[row.name])
    let cancel: (TestWorld, any Cancellable) -> Void = { $1.give(up: false) }
    let giveUp: (TestWorld, any Cancellable) -> Void = { $1.give(up: true) }
    let columns: [(make: Operator.Making?, cell: String, act: (TestWorld, any Cancellable) -> Void)] = [
      (calls.ofSource, row.cells[1], cancel), (calls.ofSource, row.cells[2], giveUp),
      (calls.failing, row.cells[3], { world, _ in world.advance(by: .seconds(10)) }),
      (calls.ofMade, row.cells[4], cancel), (calls.ofMade, row.cells[4], giveUp),
    ]
    for (number, column) in columns.enumerated() {
      guard let make = column.make else {
        #expect(column.cell == "–", "call \(number)")
        continue
      }
      // Some operators have a result that cannot be cancelled in both ways.
      if column.cell == "–", number < 2 { continue }
      let seen = try verdict(make, column.act)
      #expect(seen == Verdict(column.cell), "call \(number)")
    }
  }

  @Test("The table lists every operator tested here and every public function that returns a promise")
  func isComplete() throws {
    let table = try GuideDocument("Reference/CancellationByOperator").table("operators")
    let shown = table.flatMap { GuideDocument.spans(of: $0[0]) }
    #expect(Set(Operator.all.keys).subtracting(shown).isEmpty)
    let names = Set(try ["PromiseCore", "PromiseCombinators", "PromiseGates"].flatMap(GuideDocument.promising))
    #expect(names.count > 60)
    let missing = names.subtracting(shown.map(GuideDocument.name))
    #expect(missing.isEmpty, "not in the table: \(missing.sorted())")
    // These take no promise, and no closure of theirs returns a promise that a cancellation could reach
    // (`AwaitedHookTests`).
    let exceptions: Set = [
      "whenIdle", "whenEmpty", "whenRoom", "whenFinished", "onCancelThen", "onEndThen", "Promise.after", "Promise.run",
      "LazyPromise.run",
    ]
    let untested = names.subtracting(Operator.all.keys.map(GuideDocument.name))
    #expect(untested == exceptions, "not in OperatorTable: \(untested.symmetricDifference(exceptions).sorted())")
  }

  @Test("Every name in the first column of the table is declared in the library")
  func namesExist() throws {
    let rows = try GuideDocument("Reference/CancellationByOperator").table("operators")
    let names = Set(rows.flatMap { GuideDocument.spans(of: $0[0]) }.compactMap(GuideDocument.lastName))
    let lines = try (Listing.modulesWithOperations + ["PromiseWaiting"]).flatMap { try Listing($0).lines }
    let declared = Set(
      lines.compactMap { $0.firstMatch(of: /\b(?:func|var|class|struct) `?(\w+)/).map { String($0.1) } })
    // The listing is made on Linux.
    let onApple: Set = ["holdingActivity", "protectedInBackground", "publisher", "firstValue", "Publisher"]
    #expect(names.subtracting(declared).sorted() == onApple.sorted())
  }
}

extension GuideDocument {
  /// Returns the name of the function in a call, such as `Promise.any` in `Promise.any(_:cancelsLosers: true)`.
  static func name(of call: String) -> String { String(call.prefix { $0.isLetter || $0 == "." }) }

  /// Returns the last name in a call, without its arguments, such as `any` in `Promise.any(_:cancelsLosers: true)`.
  fileprivate static func lastName(of call: String) -> String? {
    name(of: call).split(separator: ".").last.map(String.init)
  }

  /// Returns the names of functions in the listing of a module that return a promise or a lazy promise. A name includes
  /// the type, as in the table, except for methods of a promise. The table also has `whenIdle`, `whenFinished` and
  /// observers, which several types have, without a type.
  static func promising(_ module: String) throws -> [String] {
    try Listing(module).lines.compactMap { line in
      guard
        let match = line.firstMatch(
          of: /^(?:PromiseCore\.)?([\w.]+): (.*?)func `?(\w+)`?[<(].*-> (?:Lazy)?Promise</)
      else { return nil }
      let type = String(match.1)
      let name = String(match.3)
      // These functions make settled promises.
      if ["fulfilled", "rejected"].contains(name) { return nil }
      let isMethodOfPromise = type == "Promise" && !match.2.contains("static ")
      return isMethodOfPromise || name.hasPrefix("when") || name.hasPrefix("on") ? name : "\(type).\(name)"
    }
  }
}
