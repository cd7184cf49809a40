import PromiseCore
import TestSupport
import Testing

@Suite("Order of hooks", .leavingNothing)
struct HookOrderTests {
  /// One of several contexts that stand for the same queue.
  private final class Twin: ExecutionContext {
    private let queue: ManualContext
    init(of queue: ManualContext) { self.queue = queue }

    var identity: ObjectIdentifier? { ObjectIdentifier(queue) }
    func schedule(_ job: consuming Job) { queue.schedule(job) }
  }

  private let context = ManualContext()
  private let hooks = Log<String>()

  @Test("A hook for the end comes after those for a cancellation, on any context", .rule("4.5"))
  func endAfterCancel() {
    let owner = Deferred<Int>()
    owner.onEnd(on: .atOnce) { [hooks] _ in hooks.append("end") }
    owner.onCancel { [hooks] _ in hooks.append("cancel") }
    owner.promise.cancel()
    #expect(hooks.entries == ["cancel", "end"])
  }

  @Test("Hooks of one cancellation on contexts of the same identity run in one job", .rule("2.2", "4.5"))
  func identity() {
    let owner = Deferred<Int>()
    for name in ["first", "second"] {
      owner.onCancel(on: Twin(of: context)) { [hooks] _ in hooks.append(name) }
    }
    owner.promise.cancel()
    #expect(context.count == 1)
    context.runUntilIdle()
    #expect(hooks.entries == ["first", "second"])
  }

  @Test("Hooks of promises that one call settles run in the order in which these are settled", .rule("4.5"))
  func settledByOneCall() {
    let (first, second) = (Deferred<Int>(), Deferred<Int>())
    second.follow(first.promise)
    second.onEnd(on: context) { [hooks] _ in hooks.append("second") }
    first.onEnd(on: context) { [hooks] _ in hooks.append("first") }
    first.fulfill(1)
    context.runUntilIdle()
    #expect(hooks.entries == ["first", "second"])
  }

  @Test("A hook whose test world has ended runs on the pool", .rule("4.5"))
  func worldEnded() async throws {
    let kept = Locked<(owner: Deferred<Int>, world: TestWorld)?>(nil)
    // The world reports that the promise is still pending.
    try? TestWorld.run { world in kept.withLock { $0 = (Deferred<Int>(), world) } }
    let (owner, world) = try #require(kept.withLock { $0.take() })
    defer { withExtendedLifetime(world) {} }
    owner.onEnd { [hooks] _ in hooks.append("end") }
    owner.fulfill(1)
    #expect(await eventually { hooks.entries == ["end"] })
  }
}
