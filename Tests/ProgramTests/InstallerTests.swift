import PromiseCombinators
import TestSupport
import Testing

@testable import installer

/// Steps whose ends a test decides, or that end by themselves.
private final class Bench: Sendable {
  /// The events, in order.
  let events = Log<String>()
  /// The undone steps that cannot be undone.
  let stuck = Log<String>()
  private let owners = Locked<[String: Deferred<Void>]>([:])

  var installer: Installer { Installer { [stuck] step, _ in stuck.append(step.name) } }

  func owner(of name: String) -> Deferred<Void> { owners.withLock { $0[name] } ?? Deferred<Void>() }

  /// A step that takes two steps of the world. A cancellation stops it between them.
  func step(_ name: String, fails: Bool = false, undoFails: Bool = false) -> Plan {
    .step(
      Step(
        name: name,
        perform: { [events] in
          Promise.run { events.append("begin \(name)") }
            .then {
              Promise { done in
                if fails { throw TestError(1) }
                if done.fulfill() { events.append("end \(name)") }
              }
            }
        },
        undo: { [events] in
          Promise.run {
            events.append("undo \(name)")
            if undoFails { throw TestError(2) }
          }
        }))
  }

  /// A step that the test ends. After a cancellation it takes a second to stop.
  func slow(_ name: String) -> Plan {
    .step(
      Step(
        name: name,
        perform: { [self] in
          let owner = Deferred<Void>()
          owners.withLock { $0[name] = owner }
          events.append("begin \(name)")
          owner.onCancelThen { [events] _ in
            Promise.after(.seconds(1)).tap { events.append("stopped \(name)") }
          }
          return owner.promise
        },
        undo: { [events] in Promise.run { events.append("undo \(name)") } }))
  }
}

@Suite("The example Installer") struct InstallerTests {
  @Test("It performs steps in order, and undoes none of them after a success", .rule("2.10"))
  func success() throws {
    try TestWorld.run { world in
      let bench = Bench()
      let plan = Plan.inOrder([bench.step("a"), .together([bench.step("b"), bench.step("c")]), bench.step("d")])
      try world.run(until: bench.installer.install(plan))
      let events = bench.events.entries
      #expect(events.prefix(2) == ["begin a", "end a"])
      #expect(events.suffix(2) == ["begin d", "end d"])
      #expect(Set(events[2..<6]) == ["begin b", "end b", "begin c", "end c"])
      #expect(events.count == 8)
    }
  }

  @Test("After a failure it undoes the steps that have ended, the last one first", .rule("2.10"))
  func failure() throws {
    try TestWorld.run { world in
      let bench = Bench()
      let plan = Plan.inOrder([bench.step("a"), bench.step("b"), bench.step("c", fails: true), bench.step("d")])
      let error = #expect(throws: TestError.self) { try world.run(until: bench.installer.install(plan)) }
      #expect(error == TestError(1))
      #expect(bench.events.entries == ["begin a", "end a", "begin b", "end b", "begin c", "undo b", "undo a"])
    }
  }

  @Test("A failure stops the steps beside it, and nothing is undone before they have stopped", .rule("2.11"))
  func failureBeside() throws {
    try TestWorld.run { world in
      let bench = Bench()
      let plan = Plan.inOrder([bench.step("a"), .together([bench.slow("b"), bench.slow("c")])])
      let installing = bench.installer.install(plan)
      world.runUntilIdle()
      bench.owner(of: "b").reject(TestError(1))
      world.advance(by: .milliseconds(999))
      #expect(bench.events.entries.last == "begin c")
      #expect(throws: TestError.self) { try world.run(until: installing) }
      #expect(bench.events.entries.suffix(2) == ["stopped c", "undo a"])
    }
  }

  @Test("Whenever a client cancels, exactly the steps that have ended are undone", .rule("2.10", "4.6"))
  func cancellation() throws {
    try TestWorld.explore(schedules: 500, seed: 6) { world in
      let bench = Bench()
      let plan = Plan.inOrder([
        bench.step("a"), .together([bench.step("b"), bench.step("c"), bench.slow("d")]), bench.step("e"),
      ])
      let installing = bench.installer.install(plan)
      world.sometime("the slow step ends") { bench.owner(of: "d").fulfill() }
      world.sometime("the client cancels") { installing.cancel() }
      world.advance(by: .seconds(5))
      world.expect(installing.isFinished)
      guard installing.isCancelled else { return }
      let events = bench.events.entries
      let undone = events.filter { $0.hasPrefix("undo") }.map { String($0.dropFirst(5)) }
      let ended = ["a", "b", "c", "e"].filter { events.contains("end \($0)") }
      world.expect(Set(undone).subtracting(["d"]) == Set(ended), "\(events)")
      let first = events.firstIndex { $0.hasPrefix("undo") } ?? events.endIndex
      world.expect(events[first...].allSatisfy { $0.hasPrefix("undo") }, "undone while a step runs: \(events)")
      world.expect(undone.last == "a" || !ended.contains("a"), "\(events)")
      world.expect(undone.first == "e" || !ended.contains("e"), "\(events)")
    }
  }

  @Test("A step that cannot be undone is reported, and the others are undone")
  func stuckStep() throws {
    try TestWorld.run { world in
      let bench = Bench()
      let plan = Plan.inOrder([bench.step("a"), bench.step("b", undoFails: true), bench.step("c", fails: true)])
      #expect(throws: TestError(1)) { try world.run(until: bench.installer.install(plan)) }
      #expect(bench.events.entries.suffix(2) == ["undo b", "undo a"])
      #expect(bench.stuck.entries == ["b"])
    }
  }

  @Test("A change that ends after a cancellation undoes itself", .rule("2.5"))
  func change() throws {
    try TestWorld.run { world in
      let bench = Bench()
      let events = Log<String>()
      let installing = Locked<Promise<Void>?>(nil)
      let plan = Plan.step(
        .change("a") {
          events.append("make")
          installing.withLock { $0 }?.cancel()
        } undo: {
          events.append("undo")
        })
      let promise = bench.installer.install(plan)
      installing.withLock { $0 = promise }
      world.runUntilIdle()
      installing.withLock { $0 = nil }
      #expect(promise.isCancelled)
      #expect(promise.isFinished)
      #expect(events.entries == ["make", "undo"])
    }
  }
}
