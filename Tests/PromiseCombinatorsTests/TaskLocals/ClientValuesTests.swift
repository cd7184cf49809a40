import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Task-local values of clients", .leavingNothing, .bounded) struct ClientValuesTests {
  @Test(
    "A closure sees no client's task-local values, and an async closure those of its caller, on any thread",
    .rule("8.3"),
    arguments: ClientOperator.synchronous.map { ($0, "none") } + ClientOperator.asynchronous.map { ($0, "client") })
  func values(_ called: (kind: ClientOperator, seen: String)) throws {
    #expect(try called.kind.run() == called.kind.seen(called.seen))
  }

  @Test("An async closure that waits for the end of an earlier flight sees the values of its caller", .rule("8.3"))
  func laterFlight() async throws {
    let flights = SingleFlight<Int, String>(until: .finished)
    let started = Deferred<Void>()
    let earlier = StubbornBody()
    let first = Client.run(as: "stranger") {
      flights.asyncRun(for: 1) {
        started.fulfill()
        return "\(await earlier())"
      }
    }
    try await started.promise.value
    first.cancel()
    let second = Client.run(as: "client") { flights.asyncRun(for: 1) { Client.name } }
    earlier.end()
    #expect(try await second.value == "client")
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
}
