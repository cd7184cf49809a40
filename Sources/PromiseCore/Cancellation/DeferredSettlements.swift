/// A queue of settlements that were caused by a release, and must not nest.
///
/// Some promises are settled because an object was released:
///
/// - A promise is rejected if its owner was deallocated, or if a context dropped or rejected its handler (rule 6.2).
/// - A promise is cancelled if its owner observes its clients and none wants it any more, or if the bag to which it was
///   bound was deallocated (rule 4.6).
///
/// This happens in a `deinit`, or in the call that schedules a handler. Each such settlement may release further
/// handlers and owners, and so on along a chain. Therefore the first call on a thread creates a queue, calls inside it
/// only append to the queue, and the first call works it off in a loop (rule 6.4).
///
/// The queue is a task-local value. On a thread without a Task, that is a thread-local value. A Task that is created
/// meanwhile inherits the value, but makes calls of its own. Therefore the queue records its Task, and that it has
/// ended, because a later Task may have the same identity.
final class DeferredSettlements: Sendable {
  @TaskLocal private static var current: DeferredSettlements?

  /// A settlement in the queue.
  private enum Pending {
    case rejected(AnyPromise, PromiseError)
    case cancelled(ShortList<AnyPromise>)
    case unobserved(AnyPromise)
    case rejectedTarget(of: Reaction, any Error)

    func settle() {
      switch self {
      case .rejected(let promise, let error):
        if promise.claim(rejecting: error, cancelled: false) { promise.settleAsOwner() }
      case .cancelled(let promises): Cancellation(of: promises, reason: CancellationError(), upstream: true).run()
      case .unobserved(let promise):
        // A client may have asked for the promise meanwhile.
        guard promise.side.isUnobserved else { return }
        let departure = Departure(promise: promise, isCounted: false, deadEntries: 0)
        Cancellation(givingUp: ShortList(departure), reason: CancellationError()).run()
      case .rejectedTarget(let reaction, let error): reaction.rejectTarget(with: error)
      }
    }
  }

  /// Rejects the promise with the error before it returns. Inside another such call, that call does it later.
  static func reject(_ promise: AnyPromise, with error: PromiseError) { settle(.rejected(promise, error)) }

  /// Cancels the promises in one cancellation, with what they wait for (rule 4.6), before it returns. Inside another
  /// such call, that call does it later.
  static func cancel(_ promises: ShortList<AnyPromise>) {
    if !promises.isEmpty { settle(.cancelled(promises)) }
  }

  /// Cancels the promise, which no client retains, if it has no consumers, before it returns. Inside another such call,
  /// that call does it later.
  static func giveUpUnobserved(_ promise: AnyPromise) { settle(.unobserved(promise)) }

  /// Rejects the target of the reaction before it returns. The reaction was started, and its body was released. Inside
  /// another such call, that call does it later.
  static func rejectTarget(of reaction: Reaction, with error: any Error) {
    settle(.rejectedTarget(of: reaction, error))
  }

  @inline(never)
  private static func settle(_ pending: Pending) {
    let task = runningTask
    if let current, current.task == task, current.append(pending) { return }
    let queue = DeferredSettlements(of: task)
    // Usually there is only this one, and the queue stays empty.
    var first: Pending? = pending
    $current.withValue(queue) {
      while let pending = first.take() ?? queue.next() { pending.settle() }
    }
  }

  // MARK: The queue

  private let task: Int?
  // `nonisolated(unsafe)`, because these are accessed under the lock only. Two stacks make a queue: first in, first
  // out. An owner that is released by the cancellation of its promise must not reject that promise first.
  nonisolated(unsafe) private var incoming: [Pending] = []
  nonisolated(unsafe) private var outgoing: [Pending] = []
  nonisolated(unsafe) private var isClosed = false
  private let lock = ShortLock()

  private init(of task: Int?) { self.task = task }

  /// Appends to the queue. Returns `false` if the queue is closed.
  private func append(_ pending: Pending) -> Bool {
    lock.locked {
      if unsafe isClosed { return false }
      unsafe incoming.append(pending)
      return true
    }
  }

  /// Removes and returns the next element. Closes the queue if it is empty.
  private func next() -> Pending? {
    lock.locked {
      if unsafe outgoing.isEmpty {
        unsafe outgoing = incoming.reversed()
        unsafe incoming = []
      }
      if let pending = unsafe outgoing.popLast() { return pending }
      unsafe isClosed = true
      return nil
    }
  }
}
