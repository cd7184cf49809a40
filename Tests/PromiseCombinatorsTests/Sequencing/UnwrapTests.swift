import PromiseCombinators
import TestSupport
import Testing

@Suite("unwrap", .leavingNothing) struct UnwrapTests {
  private struct Profile: Sendable { let nickname: String? }

  @Test("unwrap replaces nil, keeps another value, and passes errors and cancellations", .rule("1.2"))
  func outcomes() {
    #expect(Promise<Int?>.fulfilled(nil).unwrap(or: 7).state.value == 7)
    #expect(Promise<Int?>.fulfilled(1).unwrap(or: 7).state.value == 1)
    #expect(Promise<Int?>.rejected(TestError(1)).unwrap(or: 7).failure == .test(1))
    let owner = Deferred<Int?>()
    let result = owner.promise.unwrap(or: 7)
    owner.promise.cancel()
    #expect(result.isCancelled)
  }

  @Test("unwrap takes one level of two optionals", .rule("1.4"))
  func nested() {
    let promise = Promise<Int??>.fulfilled(.some(nil))
    #expect(promise.unwrap(or: 7).state.value == .some(nil))
    #expect(Promise<Int??>.fulfilled(nil).unwrap(or: 7).state.value == 7)
  }

  @Test("The example of unwrap gives a name to an anonymous profile")
  func example() {
    let world = TestWorld()
    let profile = Promise.fulfilled(Profile(nickname: nil))
    let shown = world.start {
      let name = profile.map { $0.nickname }.unwrap(or: "anonymous")
      return name
    }
    #expect(shown.state.value == "anonymous")
  }
}
