/// One call of `cancel`: settles a promise, if it is pending, and everything pending below it, also through promises that are
/// settled (rules 4.2 to 4.4). A loop, however deep the tree.
///
/// First every promise is claimed, and only then their rejection handlers are scheduled: no handler can rescue what was
/// below when the call was made. Where another thread is settling a promise at this moment, the request is left in its
/// list, and that thread carries it out (rule 4.3).
struct Cancellation {
  private let reason: any Error
  private var found: [AnyPromise] = []
  private var claimed: [(promise: AnyPromise, links: LinkList)] = []

  init(of promises: [AnyPromise], reason: any Error) {
    found = promises
    self.reason = reason
  }

  consuming func run() {
    while let promise = found.popLast() { visit(promise) }
    var settlement = Settlement()
    for (promise, links) in claimed { promise.drain(links, isShared: true, during: &settlement) }
    settlement.complete()
  }

  private mutating func visit(_ promise: AnyPromise) {
    // Dissolved: nobody held it, and what waited for it waits for another (rule 4.2).
    if promise.cell.isMoved { return }
    if promise.claim(rejecting: reason, cancelled: true) {
      found += promise.leaveUpstream()
      switch promise.publishTakingLinks() {
      case .drain(let links):
        found += links.targets()
        claimed.append((promise, links))
      case .closed: return
      case .leftToPruner: request(of: promise)
      }
    } else if promise.cell.isClosed {
      found += promise.activeTargets()
    } else {
      request(of: promise)
    }
  }

  /// Leaves the rest to the thread that is settling the promise; if it has just finished, there is nothing to leave.
  private mutating func request(of promise: AnyPromise) {
    if !promise.push(CancelRequest(reason)) { found.append(promise) }
  }
}

/// A cancellation that is left in the list of a promise which another thread is settling: that thread carries it out at the
/// end of its call.
final class CancelRequest: Link, @unchecked Sendable {
  let reason: any Error

  init(_ reason: any Error) {
    self.reason = reason
    super.init(from: nil, to: nil, on: nil, traits: .requests) { _, _ in .nothing }
  }
}

extension Link {
  /// Safe: the trait is set for that class only.
  final var cancelReason: any Error { unsafe unsafeDowncast(self, to: CancelRequest.self).reason }
}

extension AnyPromise {
  /// Cancels this promise and everything pending below it (rule 4.2).
  package final func cancelTree(reason: any Error) { Cancellation(of: [self], reason: reason).run() }

  /// This promise has been claimed by a cancellation: it no longer waits for anything, and its handler, unless it has
  /// started, does not run, except where rule 2.5 says that it does.
  ///
  /// Returns the promises that it had adopted, and that nobody else wants (rule 4.4).
  fileprivate final func leaveUpstream() -> [AnyPromise] {
    let left = leaveAdopted()
    var leaving = LeavingLink()
    let link = producer.read(Link.self) { link -> UInt64 in
      leaving.take(from: link)
      return location(of: link)
    }
    if let link { _ = producer.retire(link) }
    leaving.source?.lostConsumer(leavingBehind: leaving.isDead ? 1 : 0)
    if let body = leaving.always, let context = leaving.context {
      observe(on: context, handling: [.value, .error]) { from, _ in body(from, from) }
    }
    return left
  }
}

/// What a cancelled promise takes out of the link that would have settled it; released, or run, when nothing is pinned.
private struct LeavingLink {
  /// The promise that the link waited for, if it still is pending.
  var source: AnyPromise?
  var context: (any ExecutionContext)?
  /// The handler of an `always`, which runs all the same.
  var always: LinkBody?
  var unrun: LinkBody?
  var isDead = false

  mutating func take(from link: Link) {
    guard let source = link.source, !link.traits.contains(.forwards) else { return }
    let state = source.cell
    if !state.isClaimed { self.source = source }
    if link.traits.contains(.always) {
      guard !state.isClaimed, let context = link.context, link.detach() else { return }
      self.context = context
      always = link.takeBody()
      isDead = true
    } else if state.isClaimed ? !state.isRejected : !link.traits.contains(.error) {
      // Handlers of errors run if and only if their own promise is rejected.
      guard link.traits.contains(.value) || !link.traits.contains(.error), link.detach() else { return }
      unrun = link.takeBody()
      isDead = true
    }
  }
}
