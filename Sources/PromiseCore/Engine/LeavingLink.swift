/// What a cancelled promise takes out of the link that would have settled it; released, or run, when nothing is pinned.
struct LeavingLink {
  /// The promise that the link waited for, if it still is pending.
  var source: AnyPromise?
  var context: (any ExecutionContext)?
  /// The handler of an `always`, which runs all the same.
  var always: LinkBody?
  var isShielded = false
  var isIdentity = false
  var isOwning = false
  /// Nothing will come of the link any more.
  var isDead = false
  private var unrun: (LinkBody?, fulfilled: LinkBody?)

  mutating func take(from link: Link) {
    if link.traits.contains(.forwards) { return }
    guard let source = link.source else { return drop(link) }
    let state = source.cell
    if !state.isClaimed { self.source = source }
    isIdentity = link.traits.contains(.weak)
    isOwning = link.traits.contains(.owns)
    isShielded = link.traits.contains(.shields)
    if link.traits.contains(.always) {
      // With the outcome of its own promise, if that is settled; with ours, if we are faster.
      guard !state.isClaimed, link.detachBeforeFiring() else { return }
      context = link.context
      always = link.takeBody()
      isDead = true
    } else if link.traits.contains(.error), !state.isClaimed || state.isRejected {
      // Handlers of errors run if and only if their own promise is rejected; the other of a pair never.
      if link.traits.contains(.forks) { unrun.fulfilled = link.letFulfilledGo() }
    } else {
      drop(link)
    }
  }

  private mutating func drop(_ link: Link) {
    guard link.detach() else { return }
    unrun = link.takeBodies()
    isDead = true
  }
}
