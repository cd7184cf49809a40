import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("The finish of a result whose inputs are cancelled together", .leavingNothing, .rule("2.11"))
struct ManyInputsFinishTests {
  private let first = ManualContext()
  private let second = ManualContext()
  private let source = Deferred<Int>()

  @Test("A result waits for each input that is settled", arguments: Combinator<Int>.all, [false, true])
  func inputs(_ combinator: Combinator<Int>, endsInOrder: Bool) {
    let one = source.promise.always(on: first) { _ in }
    let other = source.promise.always(on: second) { _ in }
    let result = combinator.combine([one, other])
    source.promise.cancel()
    #expect(!result.isFinished)
    (endsInOrder ? first : second).runUntilIdle()
    #expect(!result.isFinished)
    (endsInOrder ? second : first).runUntilIdle()
    #expect(result.isFinished)
  }
}
