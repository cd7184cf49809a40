import Foundation
import PromiseCombinators
import PromiseGates
import PromiseRecording
import PromiseTesting
import TestSupport
import Testing

/// Tests the table of Docs/Recipes/WhyIsItPending.md that says which report names the cause of a hang.
///
/// One after the other, because the register must contain one program only. It is looked at as in
/// `PendingRegisterTests`, so `make` runs this suite alone.
@Suite("Reports of hung programs", .serialized, .bounded) struct HungProgramRegisterTests {
  private let context = ManualContext()

  /// The summaries as this build shows them while the register is off. A release build then knows no context.
  private func withoutRegister(_ causes: [String]) -> [String] {
    #if DEBUG
      causes
    #else
      causes.map { $0.replacing(#/(which is (running|queued)) on .*/#) { $0.output.1 } }
    #endif
  }

  @Test("The recipe has a row for each hung program, in the same order")
  func table() throws {
    let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let recipe = try String(contentsOf: root.appending(path: "Docs/Recipes/WhyIsItPending.md"), encoding: .utf8)
    let table = try #require(recipe.components(separatedBy: "| the program | print |").last)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }
    let programs = rows.map { $0.split(separator: " | ")[0].dropFirst(2).filter { $0 != "`" } }
    #expect(programs.map { String($0) } == HungProgram.all.map(\.testDescription))
  }

  @Test("A printed promise names the causes of its hang", arguments: HungProgram.all)
  func print(_ program: HungProgram) async {
    let hang = program.start(context)
    #expect(await eventually(hang.isReached))
    #expect(hang.promise.causes.map(\.summary) == withoutRegister(program.causes))
    await hang.finish(on: context)
    #expect(hang.promise.causes.isEmpty)
  }

  @Test("The check of a world names the causes of a hang", arguments: HungProgram.all)
  func world(_ program: HungProgram) async {
    let world = TestWorld()
    let hang = world.run { program.start(context) }
    world.runUntilIdle()
    #expect(await eventually(hang.isReached))
    let report = #expect(throws: WorldReport.self) { try world.verify(.pendingPromises) }
    let causes = withoutRegister(program.causes + program.furtherCauses)
    #expect(Set(report?.causes.map(\.summary) ?? []) == Set(causes))
    await hang.finish(on: context, in: world)
  }

  @Test("The register names the causes of a hang", arguments: HungProgram.all)
  func register(_ program: HungProgram) async {
    Diagnostics.recordsPendingPromises = true
    let hang = program.start(context)
    Diagnostics.recordsPendingPromises = false
    #expect(await eventually(hang.isReached))
    #expect(Set(registeredCauses()) == Set(program.causes + program.furtherCauses))
    await hang.finish(on: context)
    // Tasks of the program may end later, and the next program begins after them.
    #expect(await eventually { registeredCauses().isEmpty })
  }

  @Test("The page and the trace of a recording begin with the causes of a hang", arguments: HungProgram.all)
  func recording(_ program: HungProgram) async throws {
    let recorder = Recorder()
    let hang = recorder.record { program.start(context) }
    #expect(await eventually(hang.isReached))
    let recording = recorder.recording
    let causes = withoutRegister(program.causes + program.furtherCauses)
    #expect(Set(recording.causes.map(\.summary)) == Set(causes))
    #expect(Set(try causesOnPage(of: recording)) == Set(causes))
    #expect(Set(try causesInTrace(of: recording)) == Set(causes))
    await hang.finish(on: context)
    #expect(await eventually { recorder.recording.causes.isEmpty })
  }

  /// The causes from which the page makes its first lines. Each has a row.
  private func causesOnPage(of recording: Recording) throws -> [String] {
    struct Cause: Decodable {
      let text: String
      let promises: [Int]
    }
    struct About: Decodable { let causes: [Cause] }
    let start = try #require(recording.page(title: "").firstRange(of: "id=\"about\">"))
    let data = recording.page(title: "")[start.upperBound...].prefix { $0 != "<" }
    let causes = try JSONDecoder().decode(About.self, from: Data(data.utf8)).causes
    #expect(causes.allSatisfy { !$0.promises.isEmpty })
    return causes.map(\.text)
  }

  private func causesInTrace(of recording: Recording) throws -> [String] {
    struct Event: Decodable {
      struct Arguments: Decodable { let cause: String? }
      let cat: String?
      let args: Arguments?
    }
    struct Trace: Decodable { let traceEvents: [Event] }
    let trace = try JSONDecoder().decode(Trace.self, from: Data(recording.trace.utf8))
    return trace.traceEvents.filter { $0.cat == "cause of waits" }.compactMap(\.args?.cause)
  }

  @Test("Promises that the library has made for a Task, a timer or a gate are no promises of owners")
  func makers() async {
    func registeredGroups() -> [PendingPromises.Group] {
      Diagnostics.pending().groups.filter { $0.createdAt.fileID == "R/Makers" }
    }
    let gate = ConcurrencyLimit(1, fileID: "R/Makers", line: 9)
    let owner = Deferred<Int>()
    Diagnostics.recordsPendingPromises = true
    let promises = [
      Promise.task(fileID: "R/Makers", line: 1) { try await owner.promise.value },
      gate.run(on: context, fileID: "R/Makers", line: 2) { owner.promise },
      gate.run(on: context, fileID: "R/Makers", line: 3) { owner.promise },
      Promise.after(.seconds(1), fulfill: 1, fileID: "R/Makers", line: 4),
    ]
    Diagnostics.recordsPendingPromises = false
    context.runUntilIdle()
    let groups = registeredGroups().sorted { ($0.createdAt.line, $0.count) < ($1.createdAt.line, $1.count) }
    #expect(groups.map(\.operation) == ["Promise.task", "run of a gate", "run of a gate", "a timer"])
    #expect(groups.map(\.count) == [1, 1, 2, 1])
    for promise in promises { promise.cancel() }
    owner.fulfill(1)
    context.runUntilIdle()
    #expect(await eventually { registeredGroups().isEmpty })
  }

  private func registeredCauses() -> [String] {
    Diagnostics.causes().filter { $0.createdAt?.description.hasPrefix("Hang/") == true }.map(\.summary)
  }
}

extension Hang {
  /// Lets the program go on, and waits until its promise is settled.
  fileprivate func finish(on context: ManualContext, in world: TestWorld? = nil) async {
    end()
    context.runUntilIdle()
    world?.runUntilIdle()
    #expect(await eventually { !promise.isPending })
  }
}
