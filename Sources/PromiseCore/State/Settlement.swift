/// The work that one settling call still has to do. It makes settling a loop instead of a recursion.
///
/// The work consists of promises that were claimed and wait to be published, first in, first out, and of cancellations.
/// A cancellation is caused by a settlement, or was left here as a request by another thread (rule 4.3).
struct Settlement {
  /// Where the hooks of promises run that this call cancels (rule 4.5).
  let hookPlace: DueHooks.Place
  /// Reactions that have claimed their targets.
  var passed = ReactionList()
  /// Rarely needed. Allocated on first use.
  private var extras: Extras?

  init(hooksRun hookPlace: DueHooks.Place = .elsewhere) { self.hookPlace = hookPlace }

  private final class Extras {
    /// Promises that observers have claimed.
    var claimed: [AnyPromise] = []
    var countPublished = 0
    /// Cancellations that have not claimed anything yet. They wait until all promises that were claimed before are
    /// published.
    var departing: [Cancellation] = []
    /// Cancellations that have claimed their promises and wait to fire.
    var cancellations: [Cancellation] = []

    /// Removes and returns the promise that was claimed first.
    func takeClaimed() -> AnyPromise? {
      guard countPublished < claimed.count else { return nil }
      let next = claimed[countPublished]
      countPublished += 1
      // Usually each promise leads to at most one more. Because the array is emptied here, its size stays constant
      // however long such a chain is.
      if countPublished == claimed.count {
        claimed.removeAll(keepingCapacity: true)
        countPublished = 0
      }
      return next
    }
  }

  /// Publishes every claimed promise, and those that are claimed thereby, until none is left. Then fires the
  /// cancellations.
  @inline(__always)
  mutating func complete() {
    publishPassed()
    if extras != nil { completeExtras() }
  }

  @inline(never)
  private mutating func completeExtras() {
    publishClaimed()
    // A cancellation that is caused here is appended to the same array, so this is a loop (rule 6.4).
    while let cancellation = extras?.cancellations.popLast() { cancellation.fire(during: &self) }
  }

  /// Publishes every claimed promise, and lets cancellations claim theirs, but fires no cancellation.
  mutating func publishAll() {
    publishPassed()
    publishClaimed()
  }

  @inline(__always)
  private mutating func publishPassed() {
    while let reaction = passed.popFirst() { reaction.publishTarget(during: &self) }
  }

  private mutating func publishClaimed() {
    while let extras {
      if let promise = extras.takeClaimed() {
        promise.publish(settledBy: nil, during: &self)
        publishPassed()
      } else if var cancellation = extras.departing.popLast() {
        cancellation.claim()
        extras.cancellations.append(cancellation)
      } else {
        return
      }
    }
  }

  private mutating func getOrCreateExtras() -> Extras {
    let extras = extras ?? Extras()
    self.extras = extras
    return extras
  }

  private mutating func append(_ cancellation: Cancellation) { getOrCreateExtras().cancellations.append(cancellation) }
}

// MARK: - Combinations

extension Settlement {
  /// Does later what an observer of `settler` has decided.
  mutating func carryOut(_ verdict: Verdict, of settler: AnyPromise) {
    guard case .settles(let promise, let departures) = verdict else { return }
    if let promise { publish(promise) }
    giveUp(departures, because: settler)
  }

  /// Publishes a promise later. An observer has claimed it, written its payload, and ended its progress.
  private mutating func publish(_ promise: AnyPromise) { getOrCreateExtras().claimed.append(promise) }

  /// Gives promises up later, because the settlement of `settler` made them useless. If `settler` was cancelled, its
  /// error is the reason.
  mutating func giveUp(_ departures: [Departure], because settler: AnyPromise) {
    if departures.isEmpty { return }
    let state = settler.relaxedState
    let error = state.isCancelled || state.isCancelledByCall ? settler.storedError : nil
    getOrCreateExtras().departing.append(Cancellation(givingUp: departures, reason: error ?? CancellationError()))
  }
}

// MARK: - Requests

extension Settlement {
  /// Carries out the requests in a list that `promise` is about to fire. Each request applies to the reactions that
  /// were attached before it.
  mutating func carryOutRequests(in list: borrowing ReactionList, below promise: AnyPromise) {
    guard list.containsRequest else { return }
    for (request, targets) in list.requests() { carryOut(request, below: promise, besides: targets) }
  }

  /// Claims what was pending below `promise` when the request was made.
  ///
  /// These are the `targets` of reactions that are not fired yet, the targets of reactions that are fired, and the
  /// targets to which the outcome has passed but that are not published.
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
