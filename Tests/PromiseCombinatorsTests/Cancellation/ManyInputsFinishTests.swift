import PromiseCombinators
import TestSupport
import Testing

@Suite("The finish of a result whose inputs are cancelled together", .leavingNothing, .rule("2.11"))
struct ManyInputsFinishTests {
  private let first = ManualContext()
  private let second = ManualContext()
  private let source = Deferred<Int>()

  /// A combinator of two promises.
  enum Form: CaseIterable, Sendable {
    case all, allSettled, any, race

    func combine(_ inputs: [Promise<Int>]) -> Promise<Void> {
      switch self {
      case .all: Promise.all(inputs).asVoid()
      case .allSettled: Promise.allSettled(inputs).asVoid()
      case .any: Promise.any(inputs).asVoid()
      case .race: Promise.race(inputs).asVoid()
      }
    }
  }

  @Test("A result waits for each input that is settled", arguments: Form.allCases, [false, true])
  func inputs(_ form: Form, endsInOrder: Bool) {
    let one = source.promise.always(on: first) { _ in }
    let other = source.promise.always(on: second) { _ in }
    let result = form.combine([one, other])
    source.promise.cancel()
    #expect(!result.isFinished)
    (endsInOrder ? first : second).runUntilIdle()
    #expect(!result.isFinished)
    (endsInOrder ? second : first).runUntilIdle()
    #expect(result.isFinished)
  }
}
