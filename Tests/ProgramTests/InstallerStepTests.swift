import PromiseCombinators
import TestSupport
import Testing

@testable import installer

@Suite("The steps of the example Installer") struct InstallerStepTests {
  private let fetches = Log<String>()
  private let commands = Log<[String]>()

  /// A system in memory. The file has a wrong checksum as often as a test says.
  private func system(damaged: Int = 0, run: Deferred<Void>? = nil) -> System {
    System(
      fetch: { [fetches] address, path in
        fetches.append("\(address) to \(path)")
        return .fulfilled()
      },
      checksum: { [fetches] _ in .fulfilled(fetches.entries.count > damaged ? "right" : "wrong") },
      run: { [commands] command in
        commands.append(command)
        return run?.promise ?? .fulfilled()
      })
  }

  private let download = Download(name: "tool", address: "tool.example", checksum: "right")

  @Test("A damaged file is downloaded again after a second, three times at most", arguments: 0...3)
  func damaged(times: Int) throws {
    try TestWorld.run { world in
      let step = Step.download(download, to: "folder", with: system(damaged: times))
      let done = step.perform()
      world.runUntilIdle()
      #expect(fetches.entries == ["tool.example to folder/tool"])
      world.advance(by: .milliseconds(999))
      #expect(fetches.entries.count == 1)
      let result = try world.run(until: done.asResult())
      #expect(fetches.entries.count == min(times + 1, 3))
      switch result {
      case .success: #expect(times < 3)
      case .failure(let error): #expect(error as? WrongChecksum == WrongChecksum(name: "tool"))
      }
    }
  }

  @Test("A program is ended by a cancellation, and another program undoes it", .rule("4.2"))
  func program() throws {
    try TestWorld.run { world in
      let running = Deferred<Void>()
      let step = Step.program(["add", "tool"], undo: ["remove", "tool"], with: system(run: running))
      let installing = Installer { _, _ in }.install(.inOrder([.step(step)]))
      world.runUntilIdle()
      installing.cancel()
      world.runUntilIdle()
      #expect(running.promise.isCancelled)
      #expect(commands.entries == [["add", "tool"]])
      try world.run(until: Step.program(["add"], undo: ["remove"], with: system()).undo())
      #expect(commands.entries.last == ["remove"])
    }
  }
}

/// Async steps that a test ends.
private actor AsyncBench {
  private(set) var events: [String] = []

  func add(_ event: String) { events.append(event) }

  /// A step whose undo fails in a cancelled Task, or always.
  nonisolated func step(
    _ name: String, undoFails: Bool = false, _ work: @escaping @Sendable () async throws -> Void = {}
  ) -> AsyncStep {
    AsyncStep(
      name: name,
      perform: {
        try await work()
        await self.add(name)
      },
      undo: {
        try Task.checkCancellation()
        if undoFails { throw TestError(2) }
        await self.add("undo \(name)")
      })
  }
}

/// The installer without promises runs in Tasks of its own, which no world controls.
@Suite("The example Installer with async functions alone", .bounded) struct AsyncInstallerTests {
  private let bench = AsyncBench()
  private let stuck = Log<String>()

  private func install(_ phases: [[AsyncStep]]) async throws {
    try await AsyncInstaller { [stuck] step, _ in stuck.append(step.name) }.install(phases)
  }

  @Test("After a failure it undoes the steps that have ended, the last one first")
  func failure() async throws {
    let never = Promise<Void>.deferred()
    let phases = [
      [bench.step("a")], [bench.step("stuck", undoFails: true)], [bench.step("b")],
      [
        bench.step("c") { try await never.promise.value },
        bench.step("d") { throw TestError(1) },
      ],
    ]
    await #expect(throws: TestError(1)) { try await install(phases) }
    #expect(await bench.events == ["a", "stuck", "b", "undo b", "undo a"])
    #expect(stuck.entries == ["stuck"])
  }

  @Test("It undoes the steps that have ended even in a cancelled Task")
  func cancellation() async throws {
    let begun = Deferred<Void>()
    let never = Deferred<Void>()
    let phases = [
      [bench.step("a")],
      [
        bench.step("b") {
          begun.fulfill()
          try await never.promise.value
        }
      ],
    ]
    let installing = Task { try await install(phases) }
    try await begun.promise.value
    installing.cancel()
    await #expect(throws: CancellationError.self) { try await installing.value }
    #expect(await bench.events == ["a", "undo a"])
    #expect(stuck.entries.isEmpty)
  }
}
