import TestSupport

/// All kinds of consumers of a pending promise in PromiseCore (rule 4.0).
enum Consumer: CaseIterable, Sendable {
  case link, droppedLink, tap, `catch`, always, recover, asVoid, asyncMap, shield
  case adopter, follower, waiter, onFulfilled, onSettled

  /// Attaches the consumer. Returns the objects that the test has to retain.
  func attach(to promise: Promise<Int>, on context: ManualContext, awaiting executor: ManualExecutor) -> Attached {
    switch self {
    case .link: return Attached(promise: promise.map(on: context) { $0 })
    case .droppedLink: _ = promise.map(on: context) { $0 }
    case .tap: promise.tap(on: context) { _ in }
    case .catch: promise.catch(on: context) { _ in }
    case .always: promise.always(on: context) { _ in }
    case .recover: return Attached(promise: promise.recover(on: context) { _ in 0 })
    case .asVoid: return Attached(promise: promise.asVoid())
    case .asyncMap: return Attached(promise: promise.asyncMap { $0 })
    case .shield: return Attached(promise: promise.shielded())
    case .adopter:
      let adopter = Promise.fulfilled(1).then(on: context) { _ in promise }
      context.step()
      return Attached(promise: adopter)
    case .follower:
      let follower = Deferred<Int>()
      follower.follow(promise)
      return Attached(promise: follower.promise, owner: follower)
    case .waiter:
      let task = Task(executorPreference: executor) { _ = try? await promise.value }
      executor.runUntilIdle()
      return Attached(task: task)
    case .onFulfilled: promise.onFulfilled(on: context) { _ in }
    case .onSettled: promise.onSettled(on: context) { _ in }
    }
    return Attached()
  }
}

/// The parts of a consumer that a test retains.
struct Attached: Sendable {
  var promise: AnyPromise?
  var owner: Deferred<Int>?
  var task: Task<Void, Never>?
}

/// Attachments and uses of a promise that are not consumers of it (rule 4.0).
enum NotConsuming: CaseIterable, Sendable {
  case reference, reads, onRejected, onFailed, onProgress, progressUpdates, hooks, bag, cancelledLink, settledFollower,
    lostFollower

  func attach(to work: StoppableWork, on context: ManualContext, awaiting executor: ManualExecutor) -> any Sendable {
    let promise = work.promise
    switch self {
    case .reference: return [promise, promise]
    case .reads:
      _ = (promise.state, promise.result, promise.isPending, promise.isCancelled, promise.progress, promise.parent)
      _ = (promise.root, promise.debugDescription, promise.rejectionTrail)
    case .onRejected: promise.onRejected(on: context) { _ in }
    case .onFailed: promise.onFailed(on: context) { _ in }
    case .onProgress: promise.onProgress(on: context) { _ in }
    case .progressUpdates:
      let updates = promise.progressUpdates
      let task = Task(executorPreference: executor) { for await _ in updates {} }
      executor.runUntilIdle()
      return task
    case .hooks:
      work.deferred.onCancel { _ in }
      work.deferred.onEnd(on: .atOnce) { _ in }
    case .bag:
      let bag = CancelBag()
      promise.bound(to: bag)
      return bag
    case .cancelledLink:
      let link = promise.map(on: context) { $0 }
      link.cancel()
      return link
    case .settledFollower, .lostFollower:
      let follower = Deferred<Int>()
      follower.follow(promise)
      if self == .lostFollower { follower.follow(.fulfilled(1)) } else { follower.fulfill(1) }
      return follower
    }
    return 0
  }
}
