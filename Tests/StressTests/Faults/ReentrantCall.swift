import TestSupport

/// A call by which client code enters the library again, on a promise whose owner it has.
enum ReentrantCall: CaseIterable, Sendable {
  case look, attach, observe, watch, settle, settleAgain, follow, cancel, giveUp, report, register, shield, drop

  func apply(to target: Target) {
    let promise = target.promise
    let context = target.context
    switch self {
    case .look: _ = (promise.state, promise.isCancelled, promise.parent, promise.root, promise.debugDescription)
    case .attach: promise.then(on: context) { .fulfilled($0) }.always(on: context) { _ in target.note() }
    case .observe: promise.onSettled(on: context) { _ in target.note() }
    case .watch: promise.onProgress(on: context) { _ in }
    case .settle: target.owner?.fulfill(Target.byCall)
    case .settleAgain:
      target.owner?.fulfill(Target.byCall)
      target.owner?.reject(TestError(10))
    case .follow: target.owner?.follow(.fulfilled(Target.byCall))
    case .cancel: promise.cancel()
    case .giveUp: promise.cancel(upstream: true)
    case .report: target.owner?.report(progress: 0.75)
    case .register: target.owner?.onCancel { _ in }
    case .shield: promise.shielded().cancel()
    case .drop: target.dropOwner()
    }
  }

  /// The outcome of a promise that was pending before the call. The test fulfils the promise later if it is still
  /// pending.
  var outcome: Target.Outcome {
    switch self {
    case .settle, .settleAgain, .follow: .value(Target.byCall)
    case .cancel, .giveUp: .cancelled
    case .drop: .broken
    default: .value(Target.byTest)
    }
  }

  /// The number of handlers that the call attaches.
  var handlers: Int { self == .attach || self == .observe ? 1 : 0 }
}

/// A promise and its owner, on which client code makes its calls.
final class Target: Sendable {
  enum Outcome: Equatable, Sendable {
    case value(Int)
    case cancelled, broken
    case other(String)
  }

  static let byTest = 5
  static let byCall = 9

  let context = ManualContext()
  let promise: Promise<Int>
  private let content: Locked<Deferred<Int>?>
  private let notes = Locked(0)

  init() {
    let owner = Deferred<Int>()
    (promise, content) = (owner.promise, Locked(owner))
  }

  var owner: Deferred<Int>? { content.withLock(\.self) }

  func dropOwner() {
    let owner = content.withLock { $0.take() }
    withExtendedLifetime(owner) {}
  }

  func note() { notes.withLock { $0 += 1 } }

  /// The number of times that attached handlers have run.
  var count: Int { notes.withLock(\.self) }

  /// Runs the remaining jobs, and fulfils the promise if it is still pending.
  func end() {
    context.runUntilIdle()
    owner?.fulfill(Self.byTest)
    context.runUntilIdle()
  }

  var outcome: Outcome? {
    switch promise.result {
    case nil: nil
    case .success(let value): .value(value)
    case .failure(PromiseError.broken): .broken
    case .failure(let error): promise.isCancelled ? .cancelled : .other("\(error)")
    }
  }
}
