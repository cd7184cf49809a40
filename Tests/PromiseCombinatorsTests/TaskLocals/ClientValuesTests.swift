import PromiseCombinators
import TestSupport
import Testing

@Suite("Task-local values of clients", .leavingNothing, .bounded)
struct ClientValuesTests {
  @Test(
    "A closure sees no client's task-local values, whichever thread runs it", .rule("8.3"),
    arguments: ClientOperator.synchronous)
  func synchronous(_ kind: ClientOperator) throws {
    #expect(try kind.run() == kind.seen("none"))
  }

  @Test(
    "An async closure sees the task-local values of its caller, whichever thread starts it", .rule("8.3"),
    arguments: ClientOperator.asynchronous)
  func asynchronous(_ kind: ClientOperator) throws {
    #expect(try kind.run() == kind.seen("client"))
  }

  // The test runs in a process of its own, because the hook is that of the whole process.
  @Test(
    "A closure, async or not, runs in the tracing context of its caller, whichever thread runs it", .rule("8.3"),
    arguments: [false, true])
  func traced(isAsync: Bool) async {
    await #expect(processExitsWith: .success) { [isAsync] in
      Diagnostics.carryContext(TraceContext.capture)
      for kind in isAsync ? ClientOperator.asynchronous : ClientOperator.synchronous {
        let seen = try kind.run()
        #expect(seen == kind.seen(isAsync ? "client/client, async" : "none/client"), "\(kind.testDescription)")
      }
    }
  }

  @Test("A guest without a priority has the priority of the thread that admits it")
  func priority() async throws {
    let gate = SerialGate()
    let (holder, entered) = (Deferred<Int>(), Deferred<Void>())
    let first = gate.run {
      entered.fulfill()
      return holder.promise
    }
    try await entered.promise.value
    let guest = await Task(priority: .high) { gate.asyncRun { Task.basePriority } }.value
    let urgent = gate.asyncRun(priority: .high) { Task.basePriority }
    await Task(priority: .background) { _ = holder.fulfill(1) }.value
    #expect(try await guest.value == .background)
    #expect(try await urgent.value == .high)
    #expect(first.values == 1)
  }
}
