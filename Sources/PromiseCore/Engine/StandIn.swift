/// Stands below a settled promise, as an active link does, for one that nothing above it settles: its time is up, it waits for itself, a
/// context has dropped its handler, or a cancel has reached it alone. That one leaves the link by which a cancel from above would find
/// it before what is below is active. As long as this object lives it is found here, and who is settling it carries the cancel
/// out (rule 4.3). So it is for any promise whose list another thread is pruning, and so is the one to fire.
///
/// Made before the promise is claimed, for its link may end from then on; by a cancel before it is published, for what was attached until
/// then that cancels itself. Kept until the promise is closed: by who has made it or, if another thread is the one to fire what waits for
/// the promise, in the list that this fires.
///
/// `@unchecked Sendable`: as its superclass; it has no fields of its own.
final class StandIn: Link, @unchecked Sendable {
  /// `nil`: the promise is below nothing. Not an initialiser, which would make the object first.
  static func make(for promise: AnyPromise, below above: Above) -> StandIn? {
    above.isNothing ? nil : StandIn(for: promise, below: above)
  }

  private init(for promise: AnyPromise, below above: Above) {
    super.init(from: above.settledSource, to: promise, on: nil, traits: [.bystander, .standsIn], body: nil)
    becomeFired()
    if let source = above.settledSource {
      source.addKin(self)
    } else {
      KinScope.locked { above.scope?.add(self) }
    }
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
