/// What one settling call still has to do, so that it does it in a loop: outcomes that passed through a reaction and wait to be
/// published, first in, first out, and cancellations that it brings about, or that other threads have left here (rule 4.3).
struct Settlement {
  /// Reactions that have claimed their targets.
  var passed = ReactionList()
  /// What hardly any settlement has, and none need pay for.
  private var more: More?

  private final class More {
    /// Promises that observers have claimed.
    var claimed: [AnyPromise] = []
    var countPublished = 0
    /// Cancellations that wait until what was claimed before is published.
    var departing: [Cancellation] = []
    /// Cancellations that have claimed their promises.
    var cancellations: [Cancellation] = []

    /// First in, first out.
    func takeClaimed() -> AnyPromise? {
      guard countPublished < claimed.count else { return nil }
      let next = claimed[countPublished]
      countPublished += 1
      // Mostly each brings about the next, if any: the way is as long as it may be, and nothing of it is kept.
      if countPublished == claimed.count {
        claimed.removeAll(keepingCapacity: true)
        countPublished = 0
      }
      return next
    }
  }

  /// Publishes what has passed, and what passes then, until nothing is left; then lets the cancellations fire.
  @inline(__always)
  mutating func complete() {
    publishPassed()
    if more != nil { completeMore() }
  }

  @inline(never)
  private mutating func completeMore() {
    publishClaimed()
    // What one of them brings about is left here, too, so that this is a loop (rule 6.4).
    while let cancellation = more?.cancellations.popLast() { cancellation.fire(during: &self) }
  }

  /// Publishes what has passed, and what was claimed, and lets cancellations claim, but none fire.
  mutating func publishAll() {
    publishPassed()
    publishClaimed()
  }

  @inline(__always)
  private mutating func publishPassed() {
    while let reaction = passed.popFirst() { reaction.publishTarget(during: &self) }
  }

  private mutating func publishClaimed() {
    while let more {
      if let promise = more.takeClaimed() {
        promise.publish(settledBy: nil, during: &self)
        publishPassed()
      } else if var cancellation = more.departing.popLast() {
        cancellation.claim()
        more.cancellations.append(cancellation)
      } else {
        return
      }
    }
  }

  private mutating func getOrCreateExtras() -> More {
    let more = more ?? More()
    self.more = more
    return more
  }

  private mutating func append(_ cancellation: Cancellation) { getOrCreateExtras().cancellations.append(cancellation) }
}

// MARK: - Combinations

extension Settlement {
  /// An observer has claimed this promise, written its payload, and ended its progress.
  mutating func publish(_ promise: AnyPromise) { getOrCreateExtras().claimed.append(promise) }

  /// These are not needed any more, because `settler` was settled: with its error as the reason if that was cancelled.
  mutating func giveUp(_ departures: [Departure], because settler: AnyPromise) {
    if departures.isEmpty { return }
    let state = settler.cellHint
    let error = state.isCancelled || state.isCancelledByCall ? settler.storedError : nil
    getOrCreateExtras().departing.append(Cancellation(givingUp: departures, reason: error ?? CancellationError()))
  }
}

// MARK: - Requests

extension Settlement {
  /// A list that `promise` is about to fire may hold requests: each is for what was attached before it.
  mutating func carryOutRequests(in list: borrowing ReactionList, below promise: AnyPromise) {
    guard list.containsRequest else { return }
    for (request, targets) in list.requests() { carryOut(request, below: promise, besides: targets) }
  }

  /// Claims what was pending below the promise when the request was made: the `targets`, which its reactions have not reached yet,
  /// those of the reactions that it has fired, and those that its outcome was passed to.
  mutating func carryOut(_ request: CancelRequest, below promise: AnyPromise, besides targets: [AnyPromise] = []) {
    guard !request.isDone else { return }
    request.isDone = true
    let passing = passed.targetsBelow { $0.source === promise }
    var cancellation = Cancellation(
      below: promise, besides: targets + passing, reason: request.reason, requestedBy: request.call)
    cancellation.claim()
    append(cancellation)
  }
}
