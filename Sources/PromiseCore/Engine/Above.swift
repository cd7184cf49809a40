/// What a promise is below: the source of its link, or what its link is listed in after it has let the source go (rule 6.1).
///
/// Held, for who is going to claim the promise other than by that link, and looks before: from the claim on the link may end at any time.
struct Above {
  private var source: AnyPromise?
  private(set) var scope: KinScope?

  init() {}

  init(source: AnyPromise) { self.source = source }

  init(scope: KinScope?) { self.scope = scope }

  /// Nothing where the source is not settled: a promise that is settled before has left it, together with all that is below (rule 4.0).
  var ifSettled: Above { source.map { $0.cell.isDone } ?? true ? self : Above() }

  var isNothing: Bool { source == nil && scope == nil }

  /// The settled source.
  var settledSource: AnyPromise? { source }
}

extension AnyPromise {
  final var above: Above {
    producer.read(Link.self) { link -> Above? in
      if let source = link.source { return Above(source: source) }
      guard link.traits.contains(.forwards) else { return nil }
      return Above(scope: link.withAdopting { $0.scopeAbove })
    } ?? Above()
  }

  /// This promise is going to be published, and nothing above has settled it: a cancel did, or its time is up. It stays below its source all
  /// the same, which was settled before it (rule 4.2).
  ///
  /// - Parameter isAlone: nobody holds this promise, apart from the link that would have settled it.
  final func stay(below above: Above, isAlone: Bool = false) {
    // Nobody waits for this promise, and nobody ever will.
    if isAlone && !hasLinks || above.isNothing { return }
    KinScope.locked { inherit(above, isAlone: isAlone) }
  }
}
