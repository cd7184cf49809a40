/// Promises that nobody can settle any more, and that are rejected for it: their owner is gone, or a context dropped the
/// handler, or refused to run it (rule 6.2). And those that nobody wants any more, and that are cancelled for it: nobody
/// holds what the clients got (reference row B12), or the bag is gone that they were bound to.
///
/// All this is learnt in a `deinit`, or in the call that schedules a handler, and to settle there may let further handlers go, which
/// hold further owners, or schedule further ones, and so on for the length of a chain. So the first such call on a thread
/// makes a queue, further calls below it only append to it, and the first works it off in a loop (rule 6.4).
///
/// The queue is a task-local value, which on a thread without a task is a thread-local one. A task that is made meanwhile
/// inherits it: what it appends is done by the first call, if that is still at work; the queue says so.
final class DeferredSettlements: Sendable {
  @TaskLocal private static var current: DeferredSettlements?

  private enum Lost {
    case rejected(AnyPromise, PromiseError)
    case cancelled(ShortList<AnyPromise>)
    case unobserved(AnyPromise)
    case refused(Reaction, any Error)

    func settle() {
      switch self {
      case .rejected(let promise, let error):
        if promise.claim(rejecting: error, cancelled: false) { promise.settleAsOwner() }
      case .cancelled(let promises): Cancellation(of: promises, reason: CancellationError(), upstream: true).run()
      case .unobserved(let promise):
        // A new client may have come meanwhile.
        guard promise.side.isUnobserved else { return }
        let departure = Departure(promise: promise, isCounted: false, deadEntries: 0)
        Cancellation(givingUp: CollectionOfOne(departure), reason: CancellationError()).run()
      case .refused(let reaction, let error): reaction.rejectTarget(with: error)
      }
    }
  }

  /// Rejects the promise with the error before it returns, except below another such call.
  static func reject(_ promise: AnyPromise, with error: PromiseError) { settle(.rejected(promise, error)) }

  /// Cancels the promises, all in one and with what they wait for (rule 4.6), before it returns, except below another such call.
  static func cancel(_ promises: ShortList<AnyPromise>) {
    if !promises.isEmpty { settle(.cancelled(promises)) }
  }

  /// Cancels the promise, which no client retains, unless it has consumers, before it returns, except below another such call.
  static func giveUpUnobserved(_ promise: AnyPromise) { settle(.unobserved(promise)) }

  /// Rejects what the reaction derives before it returns, except below another such call. It was started, and its body let go.
  static func refuse(_ reaction: Reaction, because error: any Error) { settle(.refused(reaction, error)) }

  @inline(never)
  private static func settle(_ lost: Lost) {
    if let current, current.append(lost) { return }
    let queue = DeferredSettlements()
    // Mostly it is the only one, and the queue stays empty.
    var first: Lost? = lost
    $current.withValue(queue) {
      while let lost = first.take() ?? queue.next() { lost.settle() }
    }
  }

  // MARK: The queue

  // `nonisolated(unsafe)`: touched under the lock only.
  // First in, first out, by two stacks: an owner that goes with the promise that was cancelled for it does not break it first.
  nonisolated(unsafe) private var arrived: [Lost] = []
  nonisolated(unsafe) private var leaving: [Lost] = []
  nonisolated(unsafe) private var isClosed = false
  private let lock = ShortLock()

  /// `false`: nobody works the queue off any more.
  private func append(_ lost: Lost) -> Bool {
    lock.locked {
      if unsafe isClosed { return false }
      unsafe arrived.append(lost)
      return true
    }
  }

  /// The next one; closes the queue where there is none.
  private func next() -> Lost? {
    lock.locked {
      if unsafe leaving.isEmpty {
        unsafe leaving = arrived.reversed()
        unsafe arrived = []
      }
      if let lost = unsafe leaving.popLast() { return lost }
      unsafe isClosed = true
      return nil
    }
  }
}
