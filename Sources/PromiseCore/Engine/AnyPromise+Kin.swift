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

  /// The same, below what its link leads to, under the lock.
  final func inherit(_ above: Above, isAlone: Bool) {
    if let source = above.settledSource {
      // Found on the way down from it, or where it was cancelled: whom nobody holds says so itself.
      guard let scope = unsafe source.kinScope(isShared: source.kin.tag != .within) else { return }
      unsafe scope._withUnsafeGuaranteedRef { inherit($0, isAlone: isAlone) }
    } else if let scope = above.scope?.standing {
      inherit(scope, isAlone: isAlone)
    }
  }

  /// This promise, which another thread may be settling at this moment, stays below its settled source: it gets a scope of its own first.
  final func staySharedly(below above: Above) {
    KinScope.locked {
      guard unsafe kinScope(isShared: true) != nil else { return }
      inherit(above, isAlone: false)
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
      case .scope: kin.scope?.targets { _ in true } ?? []
      // Listed with others: only its own.
      case .within: kin.scope?.targets { $0.source === self } ?? []
      case .link: kin.readLink { $0.openTarget }.map { [$0] } ?? []
      case .nothing, .below, .moved: []
      }
    }
  }
}

extension Link {
  /// The target has been claimed, by this link with the outcome of its source or of an adopted promise, and is going to be published:
  /// what is found below the source includes from now on what becomes active below the target.
  ///
  /// - Parameters:
  ///   - isAlone: nobody holds the target, apart from this link.
  ///   - isShared: somebody may hold the source.
  ///   - isPassing: no handler has run, and so the link is not listed below the source. It is from now on, until the target
  ///     is published: else a cancel that comes by meanwhile finds neither the source open nor anything below it.
  final func bequeath(to target: AnyPromise, isAlone: Bool, isShared: Bool, isPassing: Bool) {
    // Nobody waits for the target, and nobody ever will.
    if isAlone, !target.hasLinks { return }
    let isForward = traits.contains(.forwards)
    guard unsafe sourceReference != nil else {
      if isForward { target.stay(below: Above(scope: asAdopting.scopeAbove), isAlone: isAlone) }
      return
    }
    let isShared = isForward ? !holdsSourceAlone : isShared
    if !isShared, isSourceWithoutKinScope { return }
    KinScope.locked {
      let above = unsafe sourceReference.flatMap {
        unsafe $0._withUnsafeGuaranteedRef { unsafe $0.kinScope(isShared: isShared) }
      }
      // It stays: its promise refers to it, and lets it go under this lock only.
      unsafe above?._withUnsafeGuaranteedRef {
        target.inherit($0, isAlone: isAlone)
        // A forward is listed there: its handler has run.
        if isPassing, !isForward { $0.add(self) }
      }
    }
  }

  private func unlist() {
    guard case .listed(let scope, let index) = stand else { return }
    stand = .nowhere
    scope.remove(at: index)
  }

  /// The source is retained, and nothing above it could ever want to find what is below.
  fileprivate final var isSourceWithoutKinScope: Bool {
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0.hasNoKinScope } ?? true
  }

  /// The link is not active any more.
  final func leaveKin() {
    let isStandIn = traits.contains(.standsIn)
    let isListed = unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      // A stand-in may be listed elsewhere than below its source.
      !source.kin.remove(self) && (isStandIn || source.kin.tag != .nothing)
    }
    if isListed ?? (isStandIn || traits.contains(.forwards) && asAdopting.scopeAbove != nil) {
      KinScope.locked { unlist() }
    }
  }
}

extension AdoptingLink {
  /// The handler has returned: from now on the settled source is not kept for this link (rule 6.1), which stands where a cancel of that one
  /// finds it, unless nobody can cancel it any more. The caller owns the link, which waits for nothing yet.
  final func letSourceGo() {
    guard unsafe sourceReference != nil, unsafe targetReference != nil else { return }
    // Whoever looks through the target for the source waits, or has it by now. `false`: the target is settled, and nobody looks.
    let isShown = pauseProducer()
    keepShares()
    let source = unsafe takeSource()
    if isShown { unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.resume() } }
    unsafe source?.release()
  }

  private func pauseProducer() -> Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.pause(at: location(of: self)) } ?? false
  }

  private func takeSource() -> Unmanaged<AnyPromise>? {
    if holdsSourceAlone, isSourceWithoutKinScope {
      leaveKin()
      defer { unsafe sourceReference = nil }
      return unsafe sourceReference
    }
    // Taken out under the lock, for who looks through a scope looks at the sources of what is listed.
    return unsafe KinScope.locked {
      _ = unsafe sourceReference?._withUnsafeGuaranteedRef { unsafe $0.kinScope(isShared: true) }
      if case .listed(let scope, _) = stand { scopeAbove = scope }
      defer { unsafe sourceReference = nil }
      return unsafe sourceReference
    }
  }
}
