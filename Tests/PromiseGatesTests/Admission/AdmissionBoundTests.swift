import PromiseGates
import TestSupport
import Testing

@Suite("Bound on the guests that a call admits", .leavingNothing, .bounded) struct AdmissionBoundTests {
  /// The number of waiting guests. A single call may not admit all of them.
  private static let count = 1_000

  @Test("A call admits a limited number of waiting guests, and the pool admits the rest", arguments: [false, true])
  func bounded(_ isAsync: Bool) throws {
    try TestWorld.run { world in
      let gate = ReadersWriterGate()
      let holder = Deferred<Int>()
      let context = ManualContext()
      let entered = Log<Int>()
      let writer = gate.write(on: context) { holder.promise }
      context.runUntilIdle()
      let readers = (0..<Self.count).map { number -> Promise<Int> in
        isAsync
          ? gate.asyncRead { entered.append(number, returning: number) }
          : gate.read(on: context) { entered.append(number, returning: .fulfilled(number)) }
      }
      holder.fulfill(0)
      // Counts the jobs that the call has scheduled. The pool is a part of the world, which has not run yet.
      let scheduled = isAsync ? world.waitingStepCount : context.count
      world.expect(scheduled > 0 && scheduled <= 100, "\(scheduled) guests were admitted")
      while world.runUntilIdle() + context.runUntilIdle() > 0 {}
      world.expect(entered.entries.sorted() == Array(0..<Self.count) && readers.allSatisfy(\.isFulfilled))
      if !isAsync { world.expect(entered.entries == Array(0..<Self.count), "in their order") }
      world.expect(writer.isFulfilled)
    }
  }

  @Test("A call admits a limited number of guests, even if each of them has left when it returns")
  func leavingAtOnce() throws {
    try TestWorld.run { world in
      let gate = SerialGate()
      let holder = Deferred<Int>()
      let context = ManualContext()
      let admitted = Locked(0)
      let first = gate.run(on: context) { holder.promise }
      context.runUntilIdle()
      let eager = EagerContext { admitted.withLock { $0 += 1 } }
      let guests = (0..<Self.count).map { number in gate.run(on: eager) { .fulfilled(number) } }
      holder.fulfill(0)
      let count = admitted.withLock(\.self)
      world.expect(count > 0 && count <= 100, "\(count) guests were admitted")
      world.runUntilIdle()
      world.expect(guests.allSatisfy(\.isFulfilled) && first.isFulfilled)
    }
  }

  @Test("Guests that the pool was to admit are admitted even if its world has ended and it drops the job")
  func dropped() {
    let world = TestWorld()
    let gate = ReadersWriterGate()
    let holder = Deferred<Int>()
    let context = ManualContext()
    let writer = gate.write(on: context) { holder.promise }
    context.runUntilIdle()
    let readers = world.run { (0..<Self.count).map { number in gate.read(on: context) { .fulfilled(number) } } }
    holder.fulfill(0)
    world.end()
    context.runUntilIdle()
    #expect(readers.allSatisfy { $0.isFulfilled })
    #expect(writer.isFulfilled)
  }
}

/// A context that runs each job on another thread before `schedule` returns. So a guest of a gate has left the gate
/// when the call that admits it returns.
private final class EagerContext: ExecutionContext {
  private let willSchedule: @Sendable () -> Void

  init(_ willSchedule: @escaping @Sendable () -> Void) { self.willSchedule = willSchedule }

  func schedule(_ job: consuming Job) {
    let job = consume job
    willSchedule()
    race([{ job.run() }])
  }
}
