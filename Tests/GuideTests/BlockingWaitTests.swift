import Dispatch
import Foundation
import PromiseFoundation
import TestSupport
import Testing

// Tests the table of Docs/Guides/Testing.md about blocking waits. A handler on a context waits for another handler on the same
// context.

@Suite("Blocking waits in the handlers of each context", .bounded) struct BlockingWaitTests {
  @Test(
    "A wait for a handler on the same context succeeds, is refused or times out, as the guide says",
    .rule("7.2"), arguments: WaitRow.table)
  func sameContext(row: WaitRow) async throws {
    let owner = Deferred<Int>()
    let endings = Log<Ending>()
    try await row.run {
      // The source of a wait that must fail stays pending, so that its handler never runs.
      let source = row.ending == .works ? Promise.fulfilled(1) : owner.promise
      let limit = row.ending == .timedOut ? Duration.milliseconds(10) : .seconds(600)
      endings.append(Ending(of: { try row.link(source).waitForValue(within: limit) }))
    }
    #expect(endings.entries == [row.ending])
  }
}

/// The ways in which a wait ends.
enum Ending: Equatable {
  case works, timedOut
  /// The wait is refused with an error that names this context.
  case refused(String)
  case other(String)

  init(of wait: () throws -> Int) {
    do {
      _ = try wait()
      self = .works
    } catch WaitError.timedOut {
      self = .timedOut
    } catch WaitError.wouldBlock(let context, _, _) {
      self = .refused(context)
    } catch {
      self = .other("\(error)")
    }
  }
}

/// A row of the table.
struct WaitRow: Sendable, CustomTestStringConvertible {
  /// The text of the first column.
  let name: String
  let ending: Ending
  /// Runs a closure in a handler on the context.
  let run: @Sendable (@escaping @Sendable () -> Void) async throws -> Void
  /// Attaches a handler on the context.
  let link: @Sendable (Promise<Int>) -> Promise<Int>

  var testDescription: String { name }
}

extension WaitRow {
  static var table: [WaitRow] {
    [
      main,
      .init("a serial queue", .refused("the queue \"writer\""), on: DispatchQueue(label: "writer")),
      .init(
        "a concurrent queue", .refused("the queue \"readers\""),
        on: DispatchQueue(label: "readers", attributes: .concurrent)),
      .init(
        ".concurrent(queue)", .works,
        on: ConcurrentContext.concurrent(DispatchQueue(label: "readers", attributes: .concurrent))),
      .init(".global()", .works, on: .global()),
      .init(".pool", .works, on: .pool),
      actor,
      .init(".task(priority:)", .timedOut, on: .task()),
      .init(".executor(executor)", .timedOut, on: .executor(OneThread())),
      .init("an OperationQueue, one at a time", .refused("the operation queue \"uploads\""), on: operations(atMost: 1)),
      .init("an OperationQueue, several", .works, on: operations(atMost: 2)),
      .init("a ThreadContext", .refused("the thread \"worker\""), on: ThreadContext(named: "worker")),
      inWorld("a serial TestContext", .refused("writer, a context of a TestWorld")) { $0.serial("writer") },
      inWorld("a concurrent TestContext", .works) { $0.concurrent("readers") },
      manual,
    ]
  }

  private init(_ name: String, _ ending: Ending, on context: any ExecutionContext) {
    self.init(
      name: name, ending: ending, run: { try await Promise.run(on: context, $0).value },
      link: { $0.map(on: context) { $0 } })
  }

  private static var main: WaitRow {
    WaitRow(
      name: ".main", ending: .refused("the main queue"),
      run: { body in try await Promise.run(on: .main) { body() }.value }, link: { $0.map(on: .main) { $0 } })
  }

  private static var actor: WaitRow {
    actor Account {}
    let account = Account()
    // Release builds do not record which actor runs a handler.
    #if DEBUG
      let ending = Ending.refused("the actor Account")
    #else
      let ending = Ending.timedOut
    #endif
    return WaitRow(
      name: "isolatedTo: an actor", ending: ending,
      run: { body in try await Promise.fulfilled(1).map(isolatedTo: account) { _, _ in body() }.value },
      link: { $0.map(isolatedTo: account) { _, value in value } })
  }

  private static func operations(atMost count: Int) -> OperationQueue {
    let queue = OperationQueue()
    queue.name = "uploads"
    queue.maxConcurrentOperationCount = count
    return queue
  }

  private static func inWorld(
    _ name: String, _ ending: Ending, _ context: @Sendable (TestWorld) -> TestContext
  ) -> WaitRow {
    let world = TestWorld()
    let context = context(world)
    return WaitRow(
      name: name, ending: ending,
      run: { body in
        let handler = world.run { Promise.run(on: context, body) }
        world.runUntilIdle()
        try await handler.value
      },
      link: { $0.map(on: context) { $0 } })
  }

  private static var manual: WaitRow {
    let context = ManualContext()
    return WaitRow(
      name: "a ManualContext", ending: .refused("a ManualContext"),
      run: { body in
        let handler = Promise.run(on: context, body)
        context.runUntilIdle()
        try await handler.value
      },
      link: { $0.map(on: context) { $0 } })
  }
}

/// An executor that runs Tasks one after another.
private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
