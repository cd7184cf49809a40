import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

#if DEBUG
  @Suite("Work that the cancellation of an operator leaves", .leavingNothing, .rule("4.4"))
  struct UnstoppedWorkTests {
    private func owner(_ line: UInt) -> Deferred<Int> {
      let deferred = Deferred<Int>(line: line)
      deferred.onCancel { _ in }
      return deferred
    }

    /// Returns the lines of the promises for work that is left while the code runs.
    private func reports(_ body: () throws -> Void) rethrows -> [Int] {
      let log = Log<Int>()
      try Diagnostics.scoped(unstoppedWork: { log.append($0.createdAt.line) }, body)
      return log.entries
    }

    @Test("Work of the inputs is reported, each place once, if no other consumer wants it")
    func inputs() {
      let owners = [owner(1), owner(2), owner(2), owner(3)]
      let other = owners[3].promise.asVoid()
      let found = reports {
        Promise.all(owners.map(\.promise)).cancel()
        Promise.all(owners.map { $0.promise.map { $0 } }).map { $0 }.cancel()
      }
      #expect(found == [1, 2, 1, 2])
      for owner in owners { owner.fulfill(1) }
      #expect(!other.isPending)
    }

    @Test("Another input is not reported if a cancelled source has settled the result, which leaves the input")
    func siblings() {
      let first = owner(1)
      let second = owner(2)
      let both = Promise.all([first.promise.map { $0 }, second.promise])
      let found = reports { first.promise.cancel() }
      #expect(found == [])
      #expect(both.isCancelled)
      second.fulfill(1)
    }

    @Test("Work is found through the operation of a gate and behind a limit")
    func operators() {
      let world = TestWorld()
      let guest = owner(1)
      let limited = owner(2)
      let gate = SerialGate()
      let operation = world.run { gate.run { guest.promise } }
      world.runUntilIdle()
      let found = reports {
        operation.map { $0 }.cancel()
        world.run { limited.promise.timeout(.seconds(1)) }.cancel()
      }
      // The limit belongs to the world, which reports its promises itself.
      #expect(found == [1])
      let report = #expect(throws: WorldReport.self) { try world.verify(.unstoppedWork) }
      #expect(report?.unstoppedWork.map(\.createdAt.line) == [2])
      guest.fulfill(1)
      limited.fulfill(1)
      world.runUntilIdle()
    }
  }
#endif
