import TestSupport
import Testing

/// Tests worlds in code with `-default-isolation MainActor`, where every closure without another isolation belongs to
/// the main actor.
@MainActor
@Suite("Worlds in code of the main actor") struct MainActorTests {
  @Test("The report on a task of the main actor names the remedy", .rule("8.1"))
  func reported() throws {
    do {
      try TestWorld.run(checking: .running) { _ in
        let task = Promise.task { 1 }
        #expect(task.isPending)
      }
      Issue.record("nothing was reported")
    } catch let report as WorldReport {
      #expect(report.pending.count == 1)
      #expect(report.description.contains("its Task is on the main actor"))
      #expect(report.description.contains("Promise.task { @concurrent in … }"))
    }
  }

  @Test("The error of a wait for a task of the main actor names the remedy", .rule("8.1"))
  func awaited() throws {
    try TestWorld.run(checking: []) { world in
      do {
        try world.run(until: Promise.task { 1 })
        Issue.record("the main actor is blocked, and yet the task ran")
      } catch WaitError.stuck(let promise, _) {
        #expect(promise.contains("Promise.task { @concurrent in … }"))
      }
    }
  }

  @Test("A handler isolated to the main actor, and an async link on it, do not run in the world", .rule("8.1"))
  func links() throws {
    try TestWorld.run(checking: []) { world in
      let source = Promise.fulfilled(1)
      for promise in [
        source.map(isolatedTo: MainActor.shared) { _, value in value }, source.asyncMap(on: .main) { $0 },
        source.asyncMap(isolatedTo: MainActor.shared) { _, value in value },
      ] {
        let error = waitError { try world.run(until: promise) }
        #expect(error?.stuckDetails != nil)
      }
    }
  }

  @Test("A concurrent task runs in the world", .rule("8.1"))
  func concurrent() throws {
    try TestWorld.run { world in
      let value = try world.run(until: Promise.task { @concurrent in 1 })
      #expect(value == 1)
    }
  }
}
