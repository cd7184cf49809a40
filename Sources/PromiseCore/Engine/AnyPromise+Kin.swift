// What is active below settled promises is kept reachable from them, for `cancel` (rule 4.2). A link becomes active when it
// is fired by a settled promise, and ends with its target settled; then what waited for the target becomes active in turn, and
// must be found from everything that is settled and alive above it.

extension AnyPromise {
  /// This promise is settled, and has fired the link: its target is pending below.
  final func addKin(_ link: Link) {
    if kin.add(link) { return }
    KinScope.locked {
      if kin.tag != .scope, kin.tag != .within {
        kin.set(.make(below: kin.scope, isOwned: true), as: .scope)
      }
      kin.withScope { $0.add(link) }
    }
  }

  /// The scope for what becomes active below one of this promise's own, under the lock. Uncounted: this promise refers to it.
  ///
  /// - Parameter isShared: somebody may hold this promise, and cancel it, apart from those above it.
  fileprivate final func kinScope(isShared: Bool) -> Unmanaged<KinScope>? {
    switch kin.tag {
    case .scope: break
    case .below, .within:
      guard isShared, let above = kin.scope else { break }
      let scope = KinScope.make(below: above, isOwned: true)
      if kin.tag == .within { above.moveLinks(to: scope) { $0.source === self } }
      kin.set(scope, as: .scope)
    case .nothing, .link:
      guard isShared else { return nil }
      kin.set(.make(below: nil, isOwned: true), as: .scope)
    case .moved: return nil
    }
    return unsafe kin.scopeReference
  }

  /// What this promise makes active from now on is found below it, whoever holds it.
  final func demandKinScope() { KinScope.locked { _ = unsafe kinScope(isShared: true) } }

  /// This promise is going to be published: what becomes active below it is below this scope too, under the lock.
  ///
  /// - Parameter isAlone: nobody holds this promise, apart from the link that settles it.
  fileprivate final func inherit(_ upper: KinScope, isAlone: Bool) {
    switch kin.tag {
    case .scope: kin.scope?.put(below: upper)
    case .below, .within:
      guard let other = kin.scope, other.standing !== upper.standing else { return }
      kin.set(.make(below: other, and: upper, isOwned: !isAlone), as: isAlone ? .within : .scope)
    case .nothing, .link, .moved: kin.set(upper, as: isAlone ? .within : .below)
    }
  }

  /// This promise is going to be published, and none of these has settled it: a cancel did, or a ring that was broken. It stays below
  /// them all the same, as they were settled before it (rule 4.2). One that is settled while they are pending has left them: else it
  /// could come to be above and below the same promise.
  ///
  /// - Parameter isAlone: nobody holds this promise, apart from the link that would have settled it.
  final func stay(below upstream: ShortList<AnyPromise>, isAlone: Bool = false) {
    // Nobody waits for this promise, and nobody ever will.
    if isAlone && !hasLinks || upstream.isEmpty { return }
    KinScope.locked {
      for above in upstream {
        // Found on the way down from it, or where it was cancelled: whom nobody holds says so itself.
        guard let scope = unsafe above.kinScope(isShared: above.kin.tag != .within) else { continue }
        unsafe scope._withUnsafeGuaranteedRef { inherit($0, isAlone: isAlone) }
      }
    }
  }

  /// The same for a promise that another thread may be settling at this moment: it gets a scope of its own first.
  final func stay(below settled: AnyPromise) {
    KinScope.locked {
      guard unsafe kinScope(isShared: true) != nil else { return }
      unsafe settled.kinScope(isShared: true)?._withUnsafeGuaranteedRef { inherit($0, isAlone: false) }
    }
  }

  /// Before publication: somebody waits for this promise.
  final var hasLinks: Bool {
    let state = cellHint
    return state.head != 0 || state.isPruning
  }

  /// Whether nothing above this promise could ever want to find what is below.
  fileprivate final var hasNoKinScope: Bool {
    switch kin.tag {
    case .nothing, .link, .moved: true
    case .scope, .below, .within: false
    }
  }

  /// The pending promises that are active below this settled one, and further below through settled ones.
  final func activeTargets() -> [AnyPromise] {
    if let target = kin.readLink({ $0.openTarget }) { return [target] }
    return KinScope.locked {
      switch kin.tag {
      // Not this promise itself: a forward that is settling it is listed here, to be found from all that is above.
      case .scope: kin.scope?.targets { $0.target !== self } ?? []
      // Listed with others: only its own.
      case .within: kin.scope?.targets { $0.source === self } ?? []
      case .link: kin.readLink { $0.openTarget }.map { [$0] } ?? []
      case .nothing, .below, .moved: []
      }
    }
  }
}

extension Link {
  /// The target has been claimed, by this link, with the outcome of `settler`, and is going to be published: what is found
  /// below the source, and below an adopted promise, includes from now on what becomes active below the target.
  ///
  /// - Parameters:
  ///   - isAlone: nobody holds the target, apart from this link.
  ///   - isShared: somebody may hold the settler.
  ///   - isPassing: no handler has run, and so the link is not listed below the settler. It is from now on, until the target
  ///     is published: else a cancel that comes by meanwhile finds neither the settler open nor anything below it.
  final func bequeath(
    to target: AnyPromise, isAlone: Bool, settledBy settler: AnyPromise, isShared: Bool, isPassing: Bool
  ) {
    // Nobody waits for the target, and nobody ever will.
    if isAlone, !target.hasLinks { return }
    let isForward = traits.contains(.forwards)
    let isSourceShared = isForward ? !holdsSourceAlone : isShared
    if !isShared, settler.hasNoKinScope, !isForward || !isSourceShared && source?.hasNoKinScope ?? true { return }
    KinScope.locked {
      let above = unsafe sourceReference.flatMap {
        unsafe $0._withUnsafeGuaranteedRef { unsafe $0.kinScope(isShared: isSourceShared) }
      }
      let beside = isForward ? unsafe settler.kinScope(isShared: isShared) : nil
      // Both stay: their promises refer to them, and let them go under this lock only.
      unsafe above?._withUnsafeGuaranteedRef { target.inherit($0, isAlone: isAlone) }
      unsafe beside?._withUnsafeGuaranteedRef { target.inherit($0, isAlone: isAlone) }
      guard isPassing else { return }
      if isForward { relist(in: target.kin.scope) } else { unsafe above?._withUnsafeGuaranteedRef { $0.add(self) } }
    }
  }

  /// A forward that stands below its source is from now on found below the adopted promise too.
  private func relist(in scope: KinScope?) {
    guard let scope else { return }
    _ = source?.kin.remove(self)
    unlist()
    scope.add(self)
  }

  private func unlist() {
    guard case .listed(let scope, let index) = stand else { return }
    stand = .nowhere
    scope.remove(at: index)
  }

  /// The link is not active any more.
  final func leaveKin() {
    // These may be listed elsewhere than below their source.
    let isForward = !traits.isDisjoint(with: [.forwards, .standsIn])
    let isListed = unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      !source.kin.remove(self) && (isForward || source.kin.tag != .nothing)
    }
    if isListed ?? isForward { KinScope.locked { unlist() } }
  }
}
