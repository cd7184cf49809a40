import Dispatch
import TestSupport
import Testing

@Suite("Hooks for cancellation", .leavingNothing, .rule("4.5")) struct OnCancelTests {
  typealias Call = CancelTruthTable.Call

  /// Ways other than a cancellation to settle a promise.
  enum Settling: CaseIterable, Sendable {
    case fulfil, reject, rejectWithCancellation, follow, followRejectedWithCancellation, followCancelled, ownerDropped

    func apply(to owner: consuming Deferred<Int>) {
      switch self {
      case .fulfil: owner.fulfill(1)
      case .reject: owner.reject(TestError(1))
      case .rejectWithCancellation: owner.reject(CancellationError())
      case .follow: owner.follow(.fulfilled(1))
      case .followRejectedWithCancellation:
        let other = Deferred<Int>()
        owner.follow(other.promise)
        other.reject(CancellationError())
      case .followCancelled:
        let other = Deferred<Int>()
        owner.follow(other.promise)
        other.promise.cancel()
      case .ownerDropped: break
      }
    }
  }

  let context = ManualContext()
  let log = Log<Failure>()
  let deferred = Deferred<Int>()
  let census = Tracked.Census()

  /// Makes a hook that logs the reason, and captures a tracked object and the owner.
  private func hook(_ census: Tracked.Census, keeping owner: Deferred<Int>? = nil) -> @Sendable (any Error) -> Void {
    { [log, tracked = Tracked(census)] reason in
      withExtendedLifetime((tracked, owner)) { log.append(Failure(reason)) }
    }
  }

  @Test("A hook runs after the handlers of all cancelled promises have been scheduled")
  func afterHandlers() {
    let scheduled = Log<Int>()
    deferred.onCancel { [context] _ in scheduled.append(context.count) }
    deferred.promise.map(on: context) { $0 }.catch(on: context) { _ in }
    deferred.promise.catch(on: context) { _ in }
    deferred.promise.cancel()
    #expect(scheduled.entries == [2])
    context.runUntilIdle()
  }

  @Test("A hook registered after the cancellation runs at once and is released", arguments: Call.allCases)
  func registeredAfter(_ call: Call) {
    call.apply(to: deferred.promise)
    deferred.onCancel(hook(census))
    #expect(log.entries == [Failure(call.reason)])
    #expect(census.living == 0)
  }

  @Test("Any other settlement releases hooks unrun, even late hooks", .rule("6.5"), arguments: Settling.allCases)
  func otherSettlements(_ settling: Settling) {
    let promise: Promise<Int>
    do {
      let deferred = Deferred<Int>()
      promise = deferred.promise
      for _ in 0..<2 { deferred.onCancel(hook(census)) }
      settling.apply(to: deferred)
    }
    #expect(!promise.isPending)
    #expect(census.living == 0)
    promise.cancel()
    promise.cancel(upstream: true)
    if settling != .ownerDropped {
      settling.apply(to: deferred)
      deferred.onCancel(hook(census))
      #expect(census.living == 0)
      deferred.promise.cancel()
    }
    #expect(log.entries == [])
  }

  @Test("The captures of hooks, even the owner, are released when cancel returns", .rule("6.3"), arguments: [1, 3])
  func released(count: Int) {
    weak var owner: Deferred<Int>?
    let promise: Promise<Int>
    do {
      let deferred = Deferred<Int>()
      (owner, promise) = (deferred, deferred.promise)
      for _ in 0..<count { deferred.onCancel(hook(census, keeping: deferred)) }
    }
    #expect(owner != nil)
    #expect(promise.isPending)
    promise.cancel()
    #expect(log.entries.count == count)
    #expect(census.living == 0)
    #expect(owner == nil)
  }

  @Test("A cancel in a Task that a hook creates runs its own hooks before it returns")
  func inTaskOfHook() async {
    let order = Log<String>()
    let outer = Deferred<Int>()
    let inner = Deferred<Int>()
    inner.onCancel { _ in order.append("inner") }
    await withCheckedContinuation { continuation in
      outer.onCancel { [promise = inner.promise] _ in
        let done = Gate()
        Task {
          promise.cancel()
          order.append("cancel has returned")
          done.open()
        }
        done.wait("gate of the task that a hook made")
        order.append("outer")
      }
      DispatchQueue(label: "canceller").async {
        outer.promise.cancel()
        continuation.resume()
      }
    }
    #expect(order.entries == ["inner", "cancel has returned", "outer"])
  }

  @Test("The hooks of a cancellation that a hook causes run after that hook has returned")
  func nested() {
    let order = Log<String>()
    let outer = Deferred<Int>()
    let inner = Deferred<Int>()
    let innermost = Deferred<Int>()
    outer.onCancel { [promise = inner.promise] _ in
      order.append("outer begins")
      promise.cancel()
      order.append("outer ends, inner \(promise.isCancelled ? "cancelled" : "pending")")
    }
    outer.onCancel { _ in order.append("outer, second") }
    inner.onCancel { [promise = innermost.promise] _ in
      promise.cancel()
      order.append("inner")
    }
    inner.onCancel { _ in order.append("inner, second") }
    innermost.onCancel { _ in order.append("innermost") }
    outer.promise.cancel()
    #expect(
      order.entries == [
        "outer begins", "outer ends, inner cancelled", "inner", "innermost", "inner, second", "outer, second",
      ])
  }

  @Test("A hook registered by another hook runs at once, before the remaining hooks")
  func registeredWithin() {
    let order = Log<Int>()
    deferred.onCancel { [weak deferred] _ in
      order.append(0)
      deferred?.onCancel { _ in order.append(1) }
      order.append(2)
    }
    deferred.onCancel { _ in order.append(3) }
    deferred.promise.cancel()
    #expect(order.entries == [0, 1, 2, 3])
  }
}
