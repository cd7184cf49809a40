import Dispatch
import TestSupport
import Testing

@Suite("Permitted actions of hooks") struct HookActionTests {
  /// Actions of a hook, or of another thread while the hook runs, on the cancelled promise.
  enum Action: CaseIterable, Sendable {
    case look, cancel, giveUp, fulfil, reject, follow, attach, observe, shield, register, report
    case cancelBelow, cancelAbove

    func apply(
      to owner: Deferred<Int>, above: AnyPromise, below: AnyPromise, on context: ManualContext, late: Log<Failure>
    ) {
      let promise = owner.promise
      switch self {
      case .look: _ = (promise.state, promise.isCancelled, promise.parent, promise.root, below.parent, below.root)
      case .cancel: promise.cancel(reason: TestError(9))
      case .giveUp: promise.cancel(upstream: true)
      case .fulfil: #expect(!owner.fulfill(9))
      case .reject: #expect(!owner.reject(TestError(9)))
      case .follow: #expect(!owner.follow(.fulfilled(9)))
      case .attach: _ = promise.then(on: context) { .fulfilled($0) }.recover(on: context) { _ in 9 }
      case .observe: promise.onSettled(on: context) { _ in }
      case .shield: promise.shielded().cancel()
      case .report: #expect(!owner.report(progress: 0.9) && promise.progress == 0)
      case .register: owner.onCancel { late.append(Failure($0)) }
      case .cancelBelow: below.cancel(upstream: true)
      case .cancelAbove: above.cancel()
      }
    }
  }

  @Test(
    "A hook, and another thread while the hook runs, may use the cancelled promise in any way", .rule("4.5", "6.5"),
    arguments: Action.allCases, [false, true])
  func uses(_ action: Action, isOnOtherThread: Bool) {
    let context = ManualContext()
    let log = Log<Failure>()
    let late = Log<Failure>()
    let above = Deferred<Int>()
    let deferred = Deferred<Int>()
    let below = deferred.promise.map(on: context) { $0 }
    deferred.follow(above.promise)
    deferred.onCancel { log.append(Failure($0)) }
    deferred.onCancel { [weak deferred] _ in
      guard let deferred else { return }
      let use: @Sendable () -> Void = {
        action.apply(to: deferred, above: above.promise, below: below, on: context, late: late)
      }
      guard isOnOtherThread else { return use() }
      // If the library held a lock here, the other thread would hang.
      let done = Gate()
      DispatchQueue(label: "other").async {
        use()
        done.open()
      }
      done.wait("gate of another thread that uses the promise: \(action)")
    }
    deferred.onCancel { log.append(Failure($0)) }
    deferred.promise.cancel(reason: TestError(7))
    #expect(log.entries == [.test(7), .test(7)])
    #expect(late.entries == (action == .register ? [.test(7)] : []))
    context.runUntilIdle()
    #expect(deferred.promise.status == .failed(7))
    #expect(below.status == .failed(7))
  }
}
