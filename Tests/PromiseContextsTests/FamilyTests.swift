import TestSupport
import TestedCalls
import Testing

@Suite("Families of links and observers", .bounded) struct FamilyTests {
  /// The observable effects of one call.
  private struct Effects: Equatable {
    /// The progress of the result when half of the start is done.
    var progress = 0.0
    var outcome: String?
    var arguments: [String] = []
    /// Whether the result knows the file of the caller instead of a file of the library.
    var isMadeHere = false
  }

  /// Makes the call on a pending promise, settles the promise, and waits until all handlers have run. The caller is on
  /// the main actor, where no handler of another context may run.
  @MainActor private func look(
    at call: FamilyCall, startingFrom start: Result<Parcel, any Error>, waitingFor count: Int?
  ) async -> (effects: Effects, places: [Place]) {
    let deferred = Deferred<Parcel>()
    let probe = Probe()
    let result = call.run(deferred.promise, probe)
    var effects = Effects()
    if !call.isFromNothing {
      // The number of progress values that an observer receives depends on the speed of the handler (rule 5.5).
      if !call.showsProgress { deferred.report(progress: 0.5) }
      effects.progress = result.progress
    }
    effects.isMadeHere = result === deferred.promise || "\(result.debugDescription)".contains("TestedCalls/FamilyCall+")
    deferred.settle(start)
    probe.manual.runUntilIdle()
    // An error may name the line of the call and its file, which differs between families.
    _ = try? await result.value
    effects.outcome = result.result.map { "\($0)".replacing(/\+\w+\.swift:\d+/, with: "") }
    // Observers may run after the result is settled.
    if let count { await probe.wait(for: count) }
    effects.arguments = probe.notes.map(\.argument)
    return (effects, probe.notes.map(\.place))
  }

  @Test(
    "Every operation of every family behaves like that of PromiseCore, with handlers on its own context",
    .rule("2.1", "8.1"), arguments: FamilyCall.all)
  @MainActor func onItsContext(_ call: FamilyCall) async throws {
    let original = try #require(call.original)
    for start in [Result<Parcel, any Error>.success(1), .failure(ParcelError(1)), .failure(CancellationError())] {
      let wanted = await look(at: original, startingFrom: start, waitingFor: nil).effects
      let (effects, places) = await look(at: call, startingFrom: start, waitingFor: wanted.arguments.count)
      #expect(effects == wanted)
      #expect(effects.isMadeHere)
      #expect(places.allSatisfy { $0 == call.family.place(isAsync: call.isAsync) })
    }
  }

  @Test("Every family has all operations of PromiseCore except those that it does not need", arguments: Family.allCases)
  func complete(_ family: Family) {
    let all = FamilyCall.all.filter { $0.family == .core }
    let here = Set(FamilyCall.all.filter { $0.family == family }.map(\.operation))
    let missing = all.filter { !here.contains($0.operation) }
    switch family {
    case .core, .main, .actor: #expect(missing.isEmpty)
    // PromiseCore has these operations. They are `asyncMap { … }`, and `Promise { … }`, which runs its closure in the
    // call.
    case .pool: #expect(missing.map(\.operation) == all.filter { $0.isAsync || $0.isMaking }.map(\.operation))
    // These operations make a promise, so there is no promise to make a view of.
    case .onContext, .onMain, .onActor: #expect(missing.allSatisfy { $0.isFromNothing })
    }
    #expect(all.count > 20)
  }
}
