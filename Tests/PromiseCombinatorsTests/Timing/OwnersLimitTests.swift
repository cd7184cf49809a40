import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Time limit of an owner and its hooks", .leavingNothing)
struct OwnersLimitTests {
  @Test(
    "Hooks of an expired limit find all promises settled, and the owner's hooks run before those of its source",
    .rule("4.5", "4.6"))
  func order() {
    let world = TestWorld()
    let (owner, work, log) = (Deferred<Int>(), Deferred<Int>(), Log<String>())
    let mapped = owner.promise.validate(on: world.main) { _ in true }
    let seen: @Sendable (String) -> Void = { [promise = owner.promise, followed = work.promise] name in
      log.append("\(name) \(promise.isPending) \(followed.isPending)")
    }
    owner.onCancel(on: .atOnce) { _ in seen("owner") }
    work.onCancel(on: .atOnce) { _ in seen("work") }
    owner.follow(work.promise)
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(log.entries == ["owner false false", "work false false"])
    #expect(mapped.isRejected && !mapped.isCancelled && work.promise.isCancelled)
  }
}
