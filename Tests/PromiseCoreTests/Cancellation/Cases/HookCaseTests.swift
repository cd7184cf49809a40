import PromiseCore
import TestSupport
import Testing

@Suite("The order of cancel hooks", .leavingNothing)
struct HookCaseTests {
  private let context = ManualContext()
  private let order = Log<String>()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Makes an owner whose hook logs the name.
  private func owner(_ name: String) -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [order] _ in order.append(name) }
    return deferred
  }

  @Test("Hooks of a promise run before those of its source, after all promises are settled", .rule("4.5"))
  func followers() {
    let (first, second) = (owner("first"), owner("second"))
    let pending = Log<Int>()
    second.follow(link(first.promise))
    let mapped = link(second.promise)
    for deferred in [first, second] {
      deferred.onCancel { _ in pending.append([first.promise, second.promise, mapped].count { $0.isPending }) }
    }
    mapped.cancel(upstream: true)
    #expect(order.entries == ["second", "first"] && pending.entries == [0, 0])
  }

  @Test("Hooks run in order from the cancelled promise upwards", .rule("4.5"), arguments: CancelForm.allCases)
  func longChain(_ form: CancelForm) {
    let owners = (0..<10).map { owner("\($0)") }
    for (lower, upper) in zip(owners, owners.dropFirst()) { lower.follow(link(upper.promise)) }
    withExtendedLifetime(owners) { form.apply(to: owners[0].promise) }
    #expect(order.entries == (0..<10).map { "\($0)" })
  }

  @Test("Hooks of both arms of a diamond run before those of its top", .rule("4.5"))
  func diamond() {
    let (top, left, right, bottom) = (owner("top"), owner("left"), owner("right"), owner("bottom"))
    left.follow(link(top.promise))
    right.follow(link(link(top.promise)))
    bottom.follow(left.promise)
    bottom.follow(right.promise)
    bottom.promise.cancel()
    #expect(order.entries.first == "bottom" && order.entries.last == "top")
    #expect(Set(order.entries.dropFirst().prefix(2)) == ["left", "right"] && order.entries.count == 4)
  }

  @Test("Hooks of a long arm run before those of the top that a short arm reaches first", .rule("4.5"))
  func unevenDiamond() {
    let (top, long, longer, bottom) = (owner("top"), owner("long"), owner("longer"), owner("bottom"))
    longer.follow(top.promise)
    long.follow(longer.promise)
    bottom.follow(top.promise)
    bottom.follow(long.promise)
    bottom.promise.cancel()
    #expect(order.entries == ["bottom", "long", "longer", "top"])
  }

  @Test("A hook may attach links, try to settle, and cancel promises", .rule("4.5", "6.5"))
  func deeds() {
    let (first, second) = (owner("first"), owner("second"))
    let beside = StoppableWork()
    let attached = Log<Promise<Int>>()
    second.follow(first.promise)
    for deferred in [first, second] {
      deferred.onCancel { [context, weak deferred] _ in
        guard let deferred else { return }
        attached.append(deferred.promise.recover(on: context) { _ in 3 })
        #expect(!deferred.fulfill(1) && !deferred.reject(TestError(1)))
        deferred.promise.cancel(upstream: true)
        beside.promise.cancel(upstream: true)
      }
    }
    link(second.promise).cancel(upstream: true)
    #expect(order.entries == ["second", "first"] && beside.isStopped)
    context.runUntilIdle()
    // A link that is attached to a cancelled promise sees an ordinary rejection. The cancellation that the hook makes
    // reaches the link.
    #expect(attached.entries.count == 2 && attached.entries.allSatisfy { !$0.isPending })
  }

  @Test("A link that a hook attaches to the cancelled promise may recover", .rule("4.3", "4.5"))
  func attached() {
    let first = owner("first")
    let attached = Log<Promise<Int>>()
    first.onCancel { [context, weak first] _ in
      if let first { attached.append(first.promise.recover(on: context) { _ in 3 }) }
    }
    link(first.promise).cancel(upstream: true)
    context.runUntilIdle()
    #expect(attached.entries.map(\.seen) == [.fulfilled(3)])
  }

  @Test(
    "Hooks of a cancellation that a hook causes run after that hook and before the outer call returns", .rule("4.5"))
  func nested() {
    let (outer, inner, innermost) = (Deferred<Int>(), Deferred<Int>(), owner("innermost"))
    inner.onCancel { [order] _ in
      order.append("inner begins")
      innermost.promise.cancel()
      order.append("inner ends")
    }
    outer.onCancel { [order] _ in
      order.append("outer begins")
      link(inner.promise).cancel(upstream: true)
      #expect(inner.promise.isCancelled)
      order.append("outer ends")
    }
    outer.promise.cancel()
    #expect(order.entries == ["outer begins", "outer ends", "inner begins", "inner ends", "innermost"])
  }

  @Test("100,000 hooks that each cancel the next promise run in a loop", .rule("4.5", "6.4"), .slow)
  func deepNesting() {
    let count = 100_000
    let runs = Locked(0)
    let last = Deferred<Int>()
    last.onCancel { _ in runs.withLock { $0 += 1 } }
    var next = last
    for _ in 0..<count {
      let deferred = Deferred<Int>()
      deferred.onCancel { [next] _ in
        runs.withLock { $0 += 1 }
        next.promise.cancel()
      }
      next = deferred
    }
    next.promise.cancel()
    #expect(runs.withLock { $0 } == count + 1 && last.promise.isCancelled)
  }

  @Test("A hook receives the reason, however its promise is cancelled", .rule("4.5"), arguments: 0..<4)
  func reasons(way: Int) {
    let work = StoppableWork()
    switch way {
    case 0: work.promise.cancel(reason: TestError(7))
    case 1: link(work.promise).cancel(reason: TestError(7), upstream: true)
    case 2:
      let follower = Deferred<Int>()
      follower.follow(link(work.promise))
      follower.promise.cancel(reason: TestError(7))
    default:
      let bag = CancelBag()
      link(work.promise).bound(to: bag)
      bag.cancelAll(reason: TestError(7))
    }
    #expect(work.isStopped && work.reasonNumbers == [7])
    // A hook that is registered later runs at once, with the same reason.
    let late = Log<Failure>()
    work.deferred.onCancel { late.append(Failure($0)) }
    #expect(late.entries == [.test(7)])
  }

  @Test("A report of progress after the work was given up has no effect", .rule("4.4", "5.1"))
  func progress() {
    let work = StoppableWork()
    let seen = Log<Double>()
    work.promise.onProgress(on: context) { seen.append($0) }
    work.deferred.report(progress: 0.5)
    context.runUntilIdle()
    link(work.promise).cancel(upstream: true)
    #expect(work.isStopped && !work.deferred.report(progress: 0.75))
    context.runUntilIdle()
    #expect(work.promise.progress == 0.5 && seen.entries == [0.5])
  }

  @Test("A report of progress in a hook has no effect", .rule("4.5", "5.1"))
  func progressInHook() {
    let answers = Log<Bool>()
    let deferred = Deferred<Int>()
    deferred.onCancel { [weak deferred] _ in answers.append(deferred?.report(progress: 0.9) ?? true) }
    link(deferred.promise).cancel(upstream: true)
    #expect(answers.entries == [false] && deferred.promise.progress == 0)
  }
}
