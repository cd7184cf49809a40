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

  /// This promise is going to be published: what becomes active below it is below these scopes, under the lock.
  ///
  /// - Parameter isAlone: nobody holds this promise, apart from the link that settles it.
  fileprivate final func inherit(_ upper: KinScope, and beside: KinScope?, isAlone: Bool) {
    let other = beside.flatMap { $0.standing === upper.standing ? nil : $0 }
    if kin.tag == .scope {
      // It has one of its own already: a cancellation came by.
      kin.scope?.put(below: upper)
      if let other { kin.scope?.put(below: other) }
    } else if let other {
      kin.set(.make(below: upper, and: other, isOwned: !isAlone), as: isAlone ? .within : .scope)
    } else {
      kin.set(upper, as: isAlone ? .within : .below)
    }
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
    if let target = kin.readLink({ $0.target }) { return [target] }
    return KinScope.locked {
      switch kin.tag {
      // Not this promise itself: a forward that is settling it is listed here, to be found from all that is above.
      case .scope: kin.scope?.targets { $0.target !== self } ?? []
      // Listed with others: only its own.
      case .within: kin.scope?.targets { $0.source === self } ?? []
      case .link: kin.readLink { $0.target }.map { [$0] } ?? []
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
  ///   - isShared: somebody may hold the settler.
  ///   - isPassing: no handler has run, and so the link is not listed below the settler. It is from now on, until the target
  ///     is published: else a cancel that comes by meanwhile finds neither the settler open nor anything below it.
  final func bequeath(to target: AnyPromise, settledBy settler: AnyPromise, isShared: Bool, isPassing: Bool) {
    let isTargetAlone = holdsTargetAlone
    // Nobody waits for the target, and nobody ever will.
    if isTargetAlone, target.cellHint.head == 0 { return }
    let isForward = traits.contains(.forwards)
    let isSourceShared = isForward ? !holdsSourceAlone : isShared
    if !isShared, settler.hasNoKinScope, !isForward || !isSourceShared && source?.hasNoKinScope ?? true { return }
    KinScope.locked {
      let above = unsafe sourceReference.flatMap {
        unsafe $0._withUnsafeGuaranteedRef { unsafe $0.kinScope(isShared: isSourceShared) }
      }
      let beside = isForward ? unsafe settler.kinScope(isShared: isShared) : nil
      // Both stay: their promises refer to them, and let them go under this lock only.
      unsafe (above ?? beside)?._withUnsafeGuaranteedRef { upper in
        let other = unsafe above == nil ? nil : unsafe beside?.takeUnretainedValue()
        target.inherit(upper, and: other, isAlone: isTargetAlone)
      }
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
    let isForward = traits.contains(.forwards)
    let isListed = unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      !source.kin.remove(self) && (isForward || source.kin.tag != .nothing)
    }
    if isListed ?? isForward { KinScope.locked { unlist() } }
  }
}
