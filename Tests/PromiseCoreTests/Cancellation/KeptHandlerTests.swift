import PromiseCore
import TestSupport
import Testing

@Suite("Kept handlers for an error", .leavingNothing)
struct KeptHandlerTests {
  private let context = ManualContext()

  @Test("A kept handler keeps its place, and the handlers behind it run", .rule("2.1", "2.2", "2.5"))
  func place() {
    let (owner, runs) = (Deferred<Int>(), Log<Int>())
    owner.promise.onRejected(on: context) { _ in runs.append(1) }
    let kept = owner.promise.catch(on: context) { _ in runs.append(2) }
    owner.promise.onRejected(on: context) { _ in runs.append(3) }
    kept.cancel()
    owner.reject(TestError(1))
    context.runUntilIdle()
    #expect(runs.entries == [1, 2, 3])
  }
}
