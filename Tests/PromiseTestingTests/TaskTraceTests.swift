import TestSupport
import Testing

@Suite("Tasks in the steps of a schedule", .bounded) struct TaskTraceTests {
  private static let file = "PromiseTestingTests/TaskTraceTests.swift"

  /// Returns the descriptions of the steps of a test.
  private func described(_ body: (TestWorld) throws -> Void) -> [String] { scheduledSteps(body).map(\.description) }

  @Test("A Task of Promise.task is named by its line, and its continuation by the step that made it ready")
  func promiseTask() {
    var made = 0
    var settled = 0
    let steps = described { world in
      let answer = Deferred<Int>()
      made = #line + 1
      _ = Promise.task { @concurrent in try await answer.promise.value }
      world.runUntilIdle()
      settled = #line + 1
      _ = Promise.run(on: world.main) { answer.fulfill(1) }
      world.runUntilIdle()
    }
    #expect(
      steps == [
        "[tasks] Task, \(Self.file):\(made)",
        "[main] handler of Promise<Bool>, run at \(Self.file):\(settled)",
        """
        [tasks] Task, \(Self.file):\(made), resumed by Promise<Int>, \(Self.file):\(made - 2), after \
        \(Self.file):\(settled)
        """,
      ])
  }

  @Test("The Task of a handler is named by the line of its link", arguments: Form.allCases)
  func handlers(form: Form) {
    let steps = described { world in
      let source = Deferred<Int>()
      form.attach(to: source.promise, line: 777)
      _ = Promise.run(on: world.main) { source.fulfill(1) }
      world.runUntilIdle()
    }
    let task = steps.dropFirst().first ?? "no second step"
    #expect(task.hasPrefix("[tasks] Task, \(Self.file):777, after \(Self.file):"), "\(steps)")
  }

  enum Form: CaseIterable {
    case asyncMap, task, actor, batchOnActor

    func attach(to promise: Promise<Int>, line: UInt) {
      actor Clerk {}
      let clerk = Clerk()
      switch self {
      case .asyncMap: _ = promise.asyncMap(line: line) { $0 }
      case .task: _ = promise.map(on: .task(), line: line) { $0 }
      case .actor: _ = promise.map(isolatedTo: clerk, line: line) { _, value in value }
      case .batchOnActor:
        _ = promise.map(isolatedTo: clerk, line: line) { _, value in value }
        _ = promise.map(isolatedTo: clerk) { _, value in value }
      }
    }
  }

  @Test("A Task that the test itself makes has no line and is named by the step that made it or made it ready")
  func plainTask() {
    var made = 0
    var settled = 0
    let steps = described { world in
      let answer = Deferred<Int>()
      Task(executorPreference: world.taskExecutor) {}
      world.runUntilIdle()
      made = #line + 1
      _ = Promise.run(on: world.main) {
        _ = Task(executorPreference: world.taskExecutor) { try await answer.promise.value }
      }
      world.runUntilIdle()
      settled = #line + 1
      _ = Promise.run(on: world.pool) { answer.fulfill(1) }
      world.runUntilIdle()
      Task(executorPreference: world.taskExecutor) {}
      world.runUntilIdle()
    }
    #expect(steps.count == 6)
    #expect(
      steps.filter { $0.hasPrefix("[tasks]") } == [
        "[tasks] Task", "[tasks] Task, after \(Self.file):\(made)",
        "[tasks] Task, resumed by Promise<Int>, \(Self.file):\(made - 4), after \(Self.file):\(settled)",
        "[tasks] Task",
      ])
  }

  @Test("A Task that an unnamed Task makes ready has the last known cause")
  func causeOfCause() {
    var line = 0
    let steps = described { world in
      line = #line + 1
      _ = Promise.run(on: world.main) {
        Task(executorPreference: world.taskExecutor) { Task(executorPreference: world.taskExecutor) {} }
      }
      world.runUntilIdle()
    }
    #expect(
      steps.dropFirst() == ["[tasks] Task, after \(Self.file):\(line)", "[tasks] Task, after \(Self.file):\(line)"])
  }

  @Test("An async test is a step of its own, and an action that makes it ready is named")
  func asyncTest() {
    let steps = described { world in
      try world.run {
        let answer = Deferred<Int>(label: "answer", line: 777)
        world.sometime("the user answers") { answer.fulfill(1) }
        _ = try await answer.promise.value
      }
    }
    #expect(
      steps == [
        "[tasks] the test", "[sometime] the user answers",
        "[tasks] the test, resumed by Promise<Int> \"answer\", \(Self.file):777, after the user answers",
      ])
  }

  @Test("A Task that goes on after a sleep is named by the time of the world")
  func asyncSleep() {
    let steps = described { world in
      try world.run {
        try await world.clock.sleep(for: .seconds(2))
        try await world.clock.sleep(for: .seconds(3))
      }
    }
    #expect(steps.filter { $0.contains("sleep until 2.0 seconds") }.count == 1, "\(steps)")
    #expect(steps.last?.contains("[tasks] the test, resumed by Promise<()> \"sleep until 5.0 seconds\"") == true)
  }

  @Test("A Task that sleeps on the world's clock gives its line to the timer and to the report")
  func sleepingTask() {
    let world = TestWorld()
    let line = #line + 1
    let sleeper = world.run { Promise.task { @concurrent in try await world.clock.sleep(for: .seconds(1)) } }
    world.runUntilIdle()
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.timers.map(\.createdAt.line) == [line])
    #expect(report?.pending.map(\.createdAt.line) == [line, line], "the Task's promise, and what it waits for")
    world.advance(by: .seconds(1))
    #expect(sleeper.isFulfilled)
  }

  @Test("A Task that another thread makes ready has no cause, even while the world runs a step")
  func otherThread() {
    let steps = described { world in
      _ = Promise.run(on: world.main) {
        race([{ _ = world.run { Promise.task { @concurrent in 1 } } }])
      }
      world.runUntilIdle()
    }
    let task = steps.last ?? ""
    #expect(task.hasPrefix("[tasks] Task, \(Self.file)"), "\(steps)")
    #expect(!task.contains("after"), "\(steps)")
  }
}

@Suite("Handlers in a schedule that were cancelled before their turn", .bounded) struct CancelledStepTests {
  @Test("A handler that is cancelled before its turn is marked, and the others are not", .rule("2.5"))
  func cancelled() {
    let steps = scheduledSteps { world in
      let log = Log<String>()
      _ = Promise.run(on: world.main) { log.append("first") }
      let second = Promise.run(on: world.main, line: 777) { log.append("second") }
      second.cancel()
      _ = Promise.run(on: world.main) { log.append("third") }
      world.runUntilIdle()
      #expect(log.entries == ["first", "third"])
    }
    #expect(steps.map(\.isCancelled) == [false, true, false])
    #expect(steps.map { $0.description.hasSuffix(", cancelled before its turn") } == [false, true, false])
    #expect(steps.dropFirst().first?.description.contains(":777") == true, "\(steps)")
  }

  @Test("A cancelled step inside another step is marked, and the outer step is not")
  func nested() {
    let steps = scheduledSteps { world in
      let main = Promise.run(on: world.main) {
        let inner = Promise.run(on: world.pool) {}
        inner.cancel()
        world.runUntilIdle()
      }
      world.runUntilIdle()
      withExtendedLifetime(main) {}
    }
    #expect(steps.map(\.context) == ["main", "pool"])
    #expect(steps.map(\.isCancelled) == [false, true])
  }

  @Test("Timers and actions are never marked")
  func actions() {
    let steps = scheduledSteps { world in
      world.clock.schedule(after: .seconds(1)) {}
      world.clock.schedule(after: .seconds(1)) {}.cancel()
      world.sometime("event") {}
      world.advance(by: .seconds(1))
    }
    #expect(steps.map(\.context) == ["sometime", "timers"])
    #expect(steps.allSatisfy { !$0.isCancelled })
  }
}
