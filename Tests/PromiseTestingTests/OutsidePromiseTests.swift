import PromiseCombinators
import TestSupport
import Testing

/// A use of a promise that is older than the world, and the number of promises that it leaves behind.
private struct Use: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var pending = 0
  var objects = 0
  /// Uses the promise. Promises that are appended to the log are still held when the test ends.
  let body: @Sendable (_ promise: Promise<Int>, TestWorld, _ held: Log<Promise<Int>>) throws -> Void

  static let all = [
    Use(testDescription: "a cancelled link") { promise, _, _ in promise.map { $0 + 1 }.cancel() },
    Use(testDescription: "a link that has timed out") { promise, world, _ in
      let late = promise.timeout(.seconds(1))
      world.advance(by: .seconds(1))
      #expect(throws: PromiseError.self) { try late.result?.get() }
    },
    Use(testDescription: "a cancelled task that awaits the promise") { promise, world, _ in
      let waiting = Promise.task { try await promise.value }
      world.runUntilIdle()
      waiting.cancel()
    },
    Use(testDescription: "a cancelled link that is still held", objects: 1) { promise, _, held in
      let link = promise.map { $0 + 1 }
      link.cancel()
      held.append(link)
    },
    Use(testDescription: "a pending link", pending: 1) { promise, _, _ in _ = promise.map { $0 + 1 } },
    Use(testDescription: "a cancelled link below a pending link", pending: 1) { promise, _, _ in
      promise.map { $0 }.map { $0 }.cancel()
    },
  ]
}

@Suite("Findings of a world about promises from outside", .leavingNothing, .bounded) struct OutsidePromiseTests {
  @Test(
    "A use of a promise from outside leaves behind what is pending or held, and nothing else", .rule("4.9"),
    arguments: Use.all)
  private func leftBehind(_ use: Use) {
    let owner = Deferred<Int>()
    let held = Log<Promise<Int>>()
    var report: WorldReport?
    do { try TestWorld.run { world in try use.body(owner.promise, world, held) } } catch {
      report = error as? WorldReport
      #expect(report != nil, "\(error)")
    }
    #expect(report?.pending.count ?? 0 == use.pending && report?.objects.count ?? 0 == use.objects)
    #expect((report == nil) == (use.pending + use.objects == 0), "\(report as Any)")
    owner.fulfill(1)
  }
}
