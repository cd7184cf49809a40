import PromiseCombinators
import Synchronization
import TestSupport

/// The diagnostic hooks of the process. Their reports are counted for all rounds together.
final class HookStage: Sendable {
  static let made = Atomic<Int>(0)
  static let heard = Atomic<Int>(0)
  let context = ManualContext()

  /// Sets a hook with a capture, which is released when the hook is replaced.
  static func listen() {
    let payload = Tracked(Tracked.Census())
    Diagnostics.onUnhandledRejection { _ in withExtendedLifetime(payload) { _ = heard.add(1, ordering: .relaxed) } }
  }

  func conclude() throws { context.runUntilIdle() }
}

extension Operation<HookStage> {
  /// Operations that set the hooks or cause reports to them.
  static let ofHooks: [Operation] = [
    .acting("replace the hook of rejections") { _ in HookStage.listen() },
    .acting("reject, unhandled") { _ in
      HookStage.made.add(1, ordering: .relaxed)
      _ = Promise<Int>.rejected(TestError())
    },
    .acting("reject in a scope") { _ in
      let payload = Tracked(Tracked.Census())
      Diagnostics.scoped(unhandledRejection: { _ in withExtendedLifetime(payload) {} }) {
        _ = Promise<Int>.rejected(TestError())
      }
    },
    .acting("replace the hook of second settlements") { _ in
      let payload = Tracked(Tracked.Census())
      Diagnostics.onSecondSettlement { _ in withExtendedLifetime(payload) {} }
    },
    .acting("settle twice") { _ in
      let owner = Deferred<Int>()
      owner.fulfill(1)
      owner.fulfill(2)
    },
    .acting("carry a context") { _ in Diagnostics.carryContext { nil } },
    .acting("attach a handler") { stage in Promise.fulfilled(1).onFulfilled(on: stage.context) { _ in } },
    .acting("trace") { _ in
      Diagnostics.recordsRejectionTrails = true
      Diagnostics.recordsRejectionTrails = false
    },
    .acting("pass a rejection on") { stage in
      Promise<Int>.rejected(TestError()).map(on: stage.context) { $0 }.onRejected(on: stage.context) { _ in }
    },
  ]
}
