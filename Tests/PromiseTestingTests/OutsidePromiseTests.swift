import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Findings of a world about promises from outside", .leavingNothing, .bounded)
struct OutsidePromiseTests {
  /// The owner of a pending promise that is older than the world.
  private let owner = Deferred<Int>()

  @Test("A cancelled link on a promise from outside is not left behind", .rule("4.9"))
  func cancelledLink() throws {
    try TestWorld.run { _ in owner.promise.map { $0 + 1 }.cancel() }
  }

  @Test("A timed-out link on a promise from outside is not left behind", .rule("4.9"))
  func timedOutLink() throws {
    try TestWorld.run { world in
      let late = owner.promise.timeout(.seconds(1))
      world.advance(by: .seconds(1))
      #expect(throws: PromiseError.self) { try late.result?.get() }
    }
  }

  @Test("A cancelled shield of a promise from outside is not left behind", .rule("4.9"))
  func cancelledShield() throws {
    try TestWorld.run { _ in owner.promise.shielded().cancel() }
  }

  @Test("A cancelled task that awaits a promise from outside is not left behind", .rule("4.9"))
  func cancelledTask() throws {
    try TestWorld.run { world in
      let waiting = Promise.task { [promise = owner.promise] in try await promise.value }
      world.runUntilIdle()
      waiting.cancel()
    }
  }

  @Test("A cancelled async link on a promise from outside is not left behind", .rule("4.9"))
  func cancelledAsyncLink() throws {
    try TestWorld.run { world in
      let link = owner.promise.asyncMap { $0 }
      world.runUntilIdle()
      link.cancel()
    }
  }

  @Test("A settled or cancelled combinator on a promise from outside is not left behind", .rule("4.9"))
  func combined() throws {
    try TestWorld.run { world in
      let first = Promise.any([owner.promise, .fulfilled(1)])
      world.runUntilIdle()
      #expect(first.isFulfilled)
      Promise.all([owner.promise]).cancel()
    }
  }

  @Test("A link that the test still holds is reported", .rule("4.9"))
  func held() throws {
    let held = Log<Promise<Int>>()
    do {
      try TestWorld.run { _ in
        let link = owner.promise.map { $0 + 1 }
        link.cancel()
        held.append(link)
      }
      Issue.record("nothing was reported")
    } catch let report as WorldReport {
      #expect(report.objects.count == 1 && report.pending.isEmpty)
    }
  }

  @Test("A pending link on a promise from outside is reported", .rule("4.9"))
  func pending() throws {
    do {
      try TestWorld.run { _ in _ = owner.promise.map { $0 + 1 } }
      Issue.record("nothing was reported")
    } catch let report as WorldReport {
      #expect(report.pending.count == 1 && report.objects.isEmpty)
    }
    owner.fulfill(1)
  }

  @Test("Cancelled links are not left behind, however many there are", .rule("4.9"))
  func many() throws {
    try TestWorld.run { _ in
      for number in 0..<1_000 {
        let link = owner.promise.map { $0 + number }
        if number % 2 == 0 { _ = link.map { $0 } }
        link.cancel()
      }
    }
  }

  @Test("A cancelled link on a pending promise of the world is not left behind, but that promise is")
  func pendingSource() throws {
    do {
      try TestWorld.run { _ in
        let source = owner.promise.map { $0 }
        source.map { $0 }.cancel()
      }
      Issue.record("nothing was reported")
    } catch let report as WorldReport {
      #expect(report.pending.count == 1 && report.objects.isEmpty)
    }
    owner.fulfill(1)
  }
}
