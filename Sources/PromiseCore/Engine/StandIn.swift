/// Stands below a settled promise, as an active link does, for one that is going to be settled by nothing above it: its time is up, it
/// waits for itself, or a context has dropped its handler. It leaves the link by which a cancel would find it before what is
/// below is active. As long as this object lives it is found here, and who is settling it carries the cancel out (rule 4.3).
///
/// Made before the promise is claimed, for its link may end from then on. Kept until the promise is closed: by who has made it or, if
/// another thread is the one to fire what waits for the promise, in the list that this fires.
///
/// `@unchecked Sendable`: as its superclass; it has no fields of its own.
final class StandIn: Link, @unchecked Sendable {
  init(for promise: AnyPromise, below settled: AnyPromise) {
    super.init(from: settled, to: promise, on: nil, traits: [.bystander, .standsIn], body: nil)
    becomeFired()
    settled.addKin(self)
  }

  /// In the place of the link that has settled the promise, and is about to end. That is listed in a scope, see `bequeath`, unless
  /// nobody could look for the promise from above.
  init(for promise: AnyPromise, inPlaceOf link: Link) {
    super.init(from: link.source, to: promise, on: nil, traits: [.bystander, .standsIn], body: nil)
    becomeFired()
    KinScope.locked {
      if case .listed(let scope, _) = link.stand { scope.add(self) }
    }
  }

  deinit {
    leaveKin()
    dropTarget()
  }

  /// Who has made it lets it go.
  func end() { _ = unsafe targetReference?._withUnsafeGuaranteedRef { $0.cell.isClosed || $0.leave(self) } }
}

extension Link {
  /// Safe: the trait is set for that class only.
  final var asStandIn: StandIn { unsafe unsafeDowncast(self, to: StandIn.self) }
}

extension AnyPromise {
  /// Rejects this promise, though nothing above it is rejected. `false`: it is settled already.
  ///
  /// - Parameter leave: leaves what this promise waits for.
  @discardableResult
  final func rejectFromBeside(with error: PromiseError, leaving leave: () -> Void) -> Bool {
    var pending = upstream
    var settled = pending.removeSettled()
    var standIns = standIns(below: settled)
    defer { for standIn in standIns { standIn.end() } }
    guard claim(rejecting: error, cancelled: false) else { return false }
    endProgress()
    // Before this one, or so it may have been seen.
    let settledMeanwhile = pending.removeSettled()
    standIns.append(contentsOf: self.standIns(below: settledMeanwhile))
    settled.append(contentsOf: settledMeanwhile)
    stay(below: settled)
    leave()
    publish()
    return true
  }

  final func standIns(below settled: ShortList<AnyPromise>) -> ShortList<StandIn> {
    var standIns = ShortList<StandIn>()
    for above in settled { standIns.append(StandIn(for: self, below: above)) }
    return standIns
  }
}

extension ShortList<AnyPromise> {
  /// Takes those out that are settled.
  mutating func removeSettled() -> Self {
    var (settled, others) = (Self(), Self())
    while let promise = popLast() {
      if promise.cell.isDone { settled.append(promise) } else { others.append(promise) }
    }
    self = others
    return settled
  }
}
