import TestSupport
import Testing

@Suite("The truth table of cancellation") struct CancelTruthTableTests {
  typealias Table = CancelTruthTable

  struct Case: Sendable, CustomTestStringConvertible {
    let section: Table.Section
    let row: Table.Row
    let relation: Table.Relation

    var testDescription: String {
      "\(relation.name), \(row.stage.rawValue), \(row.cancelled.map(\.rawValue)) \(row.calls.rawValue)"
    }

    static let all = Table.sections.flatMap { section in
      section.relations.flatMap { relation in section.rows.map { Case(section: section, row: $0, relation: relation) } }
    }
  }

  @Test(
    "Each situation ends and finishes as its row of the table says",
    .rule("2.11"), .rule("2.5", "3.1", "4.0", "4.1", "4.2", "4.4", "4.5", "4.10"), arguments: Case.all)
  func row(_ test: Case) {
    for role in test.row.cancelled {
      for call in test.row.calls.all {
        for isFulfilling in [true, false] { play(test, role, call, isFulfilling) }
      }
    }
  }

  private func play(_ test: Case, _ role: Table.Role, _ call: Table.Call, _ isFulfilling: Bool) {
    let row = test.row
    let roles = test.section.roles
    let reason = call.reason
    let what: Comment = "\(role.rawValue): \(call), then the source is \(isFulfilling ? "fulfilled" : "rejected")"
    let scene = CancelScene(test.relation, row.stage)
    let ends = scene.perform(call, on: role)
    #expect(roles.map { ends[$0] } == row.ends, what)
    // Handlers for a value that will not run are released. Running handlers are not (rule 2.5).
    let isOver = ends[.derived] == .cancelled && !row.stage.isRunning
    if isOver { #expect(scene.captures.forValues.living == 0, "\(what): released") }
    if row.handlers == .never {
      #expect(scene.captures.forValues.living + scene.captures.others.living == 0, "\(what): released")
    }
    #expect(scene.hooks.entries.map(\.role.rawValue).sorted() == row.hooks.map(\.rawValue).sorted(), what)
    for hook in scene.hooks.entries { #expect(Failure(hook.reason) == Failure(reason), what) }

    let settled = roles.filter { ends[$0] != .pending }
    let wereCancelled = settled.filter { scene.promises[$0]?.isCancelled == true }
    let isFinished = isFinished(test, scene)
    for (role, hasFinished) in isFinished where ends[role] != .pending {
      #expect(scene.promises[role]?.isFinished == hasFinished, "\(what): \(role.rawValue) has finished")
    }
    scene.finish(fulfilling: isFulfilling)
    #expect(scene.seenOutcomes(reason: reason) == row.handlers.seenOutcomes(fulfilling: isFulfilling), what)
    #expect(roles.allSatisfy { scene.promises[$0]?.isPending == false }, what)
    #expect(roles.allSatisfy { scene.promises[$0]?.isFinished == true }, "\(what): finished in the end")
    // No handler turns a cancellation into a value, and no other promise gets the mark later.
    #expect(settled.filter { scene.promises[$0]?.isCancelled == true } == wereCancelled, what)
    #expect(scene.hooks.entries.count == row.hooks.count, what)
    #expect(scene.captures.forValues.living == 0, "\(what): released in the end")
    #expect(scene.captures.others.living == 0, "\(what): released in the end")
  }

  /// For each settled promise, whether it has finished when the call has returned (rule 2.11).
  private func isFinished(_ test: Case, _ scene: CancelScene) -> [Table.Role: Bool] {
    guard case .kind(let kind) = test.relation, !kind.isObserver else {
      return [.source: true, .derived: true, .below: true, .adopted: true]
    }
    let isDerivedSettled = scene.promises[.derived]?.isPending == false
    // A handler that still runs for the cancellation, and a cleanup that has begun.
    let runsOnce = if case .once = test.row.handlers { true } else { false }
    let isHandlerToCome = runsOnce && scene.seen.entries.isEmpty
    let isCleaningUp = kind == .alwaysThen && !scene.seen.entries.isEmpty && scene.inner.promise.isPending
    let isDerivedFinished = !isHandlerToCome && !(isCleaningUp && test.row.stage.returnsInner)
    return [
      .source: true, .derived: isDerivedFinished, .below: isDerivedFinished || !isDerivedSettled, .adopted: true,
    ]
  }

  @Test("The table has one row for every role and call in each of its situations", .rule("4.1"))
  func isComplete() {
    for section in Table.sections {
      for stage in Set(section.rows.map(\.stage)) {
        for role in section.roles {
          for call in Table.Call.allCases {
            let rows = section.rows.filter {
              $0.stage == stage && $0.cancelled.contains(role) && $0.calls.all.contains(call)
            }
            #expect(rows.count == 1, "\(section.relations): \(stage.rawValue), \(role.rawValue), \(call)")
          }
        }
      }
      #expect(section.rows.allSatisfy { $0.ends.count == section.roles.count }, "\(section.relations)")
    }
    #expect(Set(Table.sections.flatMap(\.relations)) == Set(Table.Relation.all))
    // A link that adopts is in the sections of adopters without being named there.
    let ofPending = Table.sections.filter { section in section.rows.contains { $0.stage == .pending } }
    let ofKinds = Table.Relation.all.filter { if case .kind = $0 { true } else { false } }
    let missing = Set(ofKinds).subtracting(ofPending.flatMap(\.relations))
    #expect(missing.isEmpty, "without a section for a pending source: \(missing.map(\.name).sorted())")
  }
}

extension CancelTruthTable.Handlers {
  fileprivate func seenOutcomes(fulfilling: Bool) -> [CancelTruthTable.SeenOutcome?] {
    switch self {
    case .never, .skipped, .none: []
    case .once(let seenOutcome): [seenOutcome]
    case .later(let ifFulfilled, let ifRejected): [fulfilling ? ifFulfilled : ifRejected].filter { $0 != nil }
    }
  }
}
