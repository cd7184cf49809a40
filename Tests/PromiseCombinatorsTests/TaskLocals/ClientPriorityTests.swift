import PromiseGates
import TestSupport
import Testing

@Suite("Priorities of clients", .leavingNothing, .bounded) struct ClientPriorityTests {
  /// A gate that admits no guest until it is opened.
  struct ClosedGate: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable () async throws -> TaskPriority?

    let testDescription: String
    let call: @Sendable (TaskPriority?, @escaping Body) -> Promise<TaskPriority?>
    let setPaused: @Sendable (Bool) -> Void

    init<Gate: Sendable>(
      _ name: String, _ gate: Gate, pause: @escaping @Sendable (Gate, Bool) -> Void,
      call: @escaping @Sendable (Gate, TaskPriority?, @escaping Body) -> Promise<TaskPriority?>
    ) {
      testDescription = name
      self.call = { call(gate, $0, $1) }
      setPaused = { pause(gate, $0) }
      pause(gate, true)
    }

    static var all: [ClosedGate] {
      [
        ClosedGate("serial gate", SerialGate(), pause: { $0.isPaused = $1 }, call: { $0.asyncRun(priority: $1, $2) }),
        ClosedGate("limit", ConcurrencyLimit(9), pause: { $0.isPaused = $1 }, call: { $0.asyncRun(priority: $1, $2) }),
        ClosedGate(
          "rate limit", RateLimit(9, per: .seconds(1)), pause: { $0.isPaused = $1 },
          call: { $0.asyncRun(priority: $1, $2) }),
        ClosedGate(
          "readers", ReadersWriterGate(), pause: { $0.isPaused = $1 }, call: { $0.asyncRead(priority: $1, $2) }),
        ClosedGate(
          "writers", ReadersWriterGate(), pause: { $0.isPaused = $1 }, call: { $0.asyncWrite(priority: $1, $2) }),
      ]
    }
  }

  @Test(
    "A guest has the priority that it asks for, or that of its client, whichever thread admits it", .rule("8.3"),
    arguments: ClosedGate.all)
  func guest(_ gate: ClosedGate) async throws {
    let high = await Task(priority: .high) { gate.call(nil) { Task.basePriority } }.value
    let low = await Task(priority: .low) { gate.call(nil) { Task.basePriority } }.value
    let urgent = await Task(priority: .low) { gate.call(.high) { Task.basePriority } }.value
    // No code waits for this Task, because a wait would raise its priority.
    Task(priority: .background) { gate.setPaused(false) }
    #expect(try await high.value == .high)
    #expect(try await low.value == .low)
    #expect(try await urgent.value == .high)
  }

  @Test("A shared closure has the priority of the client whose closure is called", .rule("8.3"))
  func shared() async throws {
    let started = Deferred<Void>()
    let flights = SingleFlight<Int, TaskPriority?>()
    let cache = ValueCache<Int, TaskPriority?>()
    let body: ClosedGate.Body = {
      try await started.promise.value
      return Task.basePriority
    }
    let flight = await Task(priority: .high) { flights.asyncRun(for: 1, body) }.value
    let load = await Task(priority: .high) { cache.asyncValue(for: 1, body) }.value
    let sharedFlight = await Task(priority: .background) { flights.asyncRun(for: 1, body) }.value
    let sharedLoad = await Task(priority: .background) { cache.asyncValue(for: 1, body) }.value
    Task(priority: .background) { _ = started.fulfill() }
    #expect(try await flight.value == .high)
    #expect(try await load.value == .high)
    #expect(try await sharedFlight.value == .high)
    #expect(try await sharedLoad.value == .high)
  }
}
