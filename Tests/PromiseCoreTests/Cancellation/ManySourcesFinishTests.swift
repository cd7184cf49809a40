import TestSupport
import Testing

@Suite("The finish of a promise with several sources", .leavingNothing, .rule("2.11")) struct ManySourcesFinishTests {
  private let first = ManualContext()
  private let second = ManualContext()
  private let source = Deferred<Int>()

  /// Two links whose handlers a cancellation of the source runs, each on a context of its own.
  private func links() -> (Promise<Int>, Promise<Int>) {
    (source.promise.always(on: first) { _ in }, source.promise.always(on: second) { _ in })
  }

  @Test("A follower waits for each promise that it has followed and that is settled", arguments: [false, true])
  func follower(endsInOrder: Bool) {
    let owner = Deferred<Int>()
    let (one, other) = links()
    owner.follow(one)
    owner.follow(other)
    source.promise.cancel()
    #expect(owner.promise.isCancelled)
    #expect(!owner.promise.isFinished)
    (endsInOrder ? first : second).runUntilIdle()
    #expect(!owner.promise.isFinished)
    (endsInOrder ? second : first).runUntilIdle()
    #expect(owner.promise.isFinished)
  }
}
