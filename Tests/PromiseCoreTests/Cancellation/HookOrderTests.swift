import TestSupport
import Testing

@Suite("Order of hooks", .leavingNothing, .rule("4.5")) struct HookOrderTests {
  /// One of several contexts that stand for the same queue.
  private final class Twin: ExecutionContext {
    private let queue: ManualContext
    init(of queue: ManualContext) { self.queue = queue }

    var identity: ObjectIdentifier? { ObjectIdentifier(queue) }
    func schedule(_ job: consuming Job) { queue.schedule(job) }
  }

  private let context = ManualContext()
  private let hooks = Log<String>()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Makes an owner whose hook logs the name.
  private func owner(_ name: String) -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [hooks] _ in hooks.append(name) }
    return deferred
  }

  @Test("Hooks run upwards in order, after all promises are settled", .rule("4.3"), arguments: CancelForm.allCases)
  func longChain(_ form: CancelForm) {
    let owners = (0..<10).map { owner("\($0)") }
    let pending = Log<Int>()
    for (lower, upper) in zip(owners, owners.dropFirst()) { lower.follow(link(upper.promise)) }
    for owner in owners { owner.onCancel { _ in pending.append(owners.count { $0.promise.isPending }) } }
    form.apply(to: owners[0].promise)
    #expect(hooks.entries == (0..<10).map { "\($0)" })
    #expect(pending.entries == Array(repeating: 0, count: 10))
  }

  @Test("Hooks of both arms of a diamond run before those of its top")
  func diamond() {
    let top = owner("top")
    let left = owner("left")
    let right = owner("right")
    let bottom = owner("bottom")
    left.follow(link(top.promise))
    right.follow(link(link(top.promise)))
    bottom.follow(left.promise)
    bottom.follow(right.promise)
    bottom.promise.cancel()
    #expect(hooks.entries.first == "bottom")
    #expect(hooks.entries.last == "top")
    #expect(Set(hooks.entries.dropFirst().prefix(2)) == ["left", "right"])
    #expect(hooks.entries.count == 4)
  }

  @Test("Hooks of a long arm run before those of the top that a short arm reaches first")
  func unevenDiamond() {
    let top = owner("top")
    let long = owner("long")
    let longer = owner("longer")
    let bottom = owner("bottom")
    longer.follow(top.promise)
    long.follow(longer.promise)
    bottom.follow(top.promise)
    bottom.follow(long.promise)
    bottom.promise.cancel()
    #expect(hooks.entries == ["bottom", "long", "longer", "top"])
  }

  @Test("A late hook on a context that cancels something runs the hooks which it causes after it, on that context")
  func lateCause() {
    let outer = Deferred<Int>()
    let inner = Deferred<Int>()
    inner.onCancel { [context, hooks] _ in hooks.append("inner, \(context.isCurrent == true)") }
    outer.promise.cancel()
    outer.onCancel(on: context) { [hooks, promise = inner.promise] _ in
      promise.cancel()
      hooks.append("outer ends, \(promise.isCancelled)")
    }
    #expect(hooks.entries.isEmpty)
    #expect(context.count == 1)
    context.step()
    #expect(hooks.entries == ["outer ends, true", "inner, true"])
    #expect(context.count == 0)
  }

  @Test("A link that a hook attaches to the cancelled promise may recover", .rule("4.3"))
  func attached() {
    let first = owner("first")
    let attached = Log<Promise<Int>>()
    first.onCancel { [context, weak first] _ in
      if let first { attached.append(first.promise.recover(on: context) { _ in 3 }) }
    }
    link(first.promise).cancel(upstream: true)
    context.runUntilIdle()
    #expect(attached.entries.map(\.status) == [.fulfilled(3)])
  }

  @Test("A hook for the end comes after those for a cancellation, on any context")
  func endAfterCancel() {
    let owner = Deferred<Int>()
    owner.onEnd(on: .atOnce) { [hooks] _ in hooks.append("end") }
    owner.onCancel { [hooks] _ in hooks.append("cancel") }
    owner.promise.cancel()
    #expect(hooks.entries == ["cancel", "end"])
  }

  @Test("Hooks of one cancellation on contexts of the same identity run in one job", .rule("2.2"))
  func identity() {
    let owner = Deferred<Int>()
    for name in ["first", "second"] { owner.onCancel(on: Twin(of: context)) { [hooks] _ in hooks.append(name) } }
    owner.promise.cancel()
    #expect(context.count == 1)
    context.runUntilIdle()
    #expect(hooks.entries == ["first", "second"])
  }

  @Test("Hooks of promises that one call settles run in the order in which these are settled")
  func settledByOneCall() {
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    second.follow(first.promise)
    second.onEnd(on: context) { [hooks] _ in hooks.append("second") }
    first.onEnd(on: context) { [hooks] _ in hooks.append("first") }
    first.fulfill(1)
    context.runUntilIdle()
    #expect(hooks.entries == ["first", "second"])
  }

  @Test("A hook whose test world has ended runs on the pool")
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

  @Test("An onEnd hook is given to its context after the onCancel hooks, even if a hook has caused both", .rule("4.5"))
  func scheduledAfterCancel() {
    let inner = owner("cancel")
    inner.onEnd(on: CallingContext { [hooks] in hooks.append("scheduled") }) { [hooks] _ in hooks.append("end") }
    let outer = Deferred<Int>()
    outer.onCancel { [promise = inner.promise] _ in promise.cancel() }
    outer.promise.cancel()
    #expect(hooks.entries == ["cancel", "scheduled", "end"])
  }
}
