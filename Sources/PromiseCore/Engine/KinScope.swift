/// What is active below a settled promise (rule 4.2): the links that run or wait for an adopted promise, and the scopes of
/// settled descendants that have links of their own. A token: it keeps no promise and no link alive.
///
/// Most promises need none: the one link of a settled promise stands in its `kin` word. A scope is made when a promise
/// that somebody may still hold has several active links, or a settled descendant that has, or may get, some.
///
///     first ── settled, held: scope A ──┬── link (running)
///       └─ second, settled, not held:   ├── link (running)      below `second`, listed where `second` itself belongs
///       └─ third, settled, held ────────┴── scope B ── link     below `third`
///
/// A scope belongs to one settled promise, and is dissolved with it: what it lists moves to the scope above. So there are
/// never more scopes in use than living settled promises.
///
/// Guarded by one spinning lock for all scopes. Under it no user code runs, nothing is released that could end a link or a
/// promise, and nobody waits. What is listed leaves the list, under the lock, before it goes; so it can be used there
/// without being retained, and must be: the thread that let go of a link meanwhile would otherwise leave its `deinit` to us.
final class KinScope: @unchecked Sendable {
  // `@unchecked`: all fields are touched under the lock only.
  private var upper: KinScope?
  private var indexInUpper = 0
  private var lowers: [Unretained<KinScope>] = []
  private var links: [Unretained<Link>] = []
  private var isDissolved = false
  /// The scope that took over when this one was dissolved: promises may still name this one.
  private var successor: KinScope?

  private init() {}

  deinit {
    // A line of dissolved scopes is let go one by one, not by recursion (rule 6.4).
    var next = successor
    successor = nil
    while next != nil, isKnownUniquelyReferenced(&next) {
      let after = next?.successor
      next?.successor = nil
      next = after
    }
  }

  // MARK: The lock

  private static let lock = SpinLock()

  static func locked<Result>(_ body: () -> Result) -> Result { lock.locked(body) }

  // MARK: Under the lock

  /// The scope of a settled promise that is itself below another scope, if that is still in use.
  static func make(below upper: KinScope?) -> KinScope {
    let scope = KinScope()
    if let upper = upper?.standing { scope.attach(to: upper) }
    return scope
  }

  /// The scope itself, or the one in use that took over from it, if any.
  private var standing: KinScope? {
    guard isDissolved else { return self }
    var standing = successor
    while let scope = standing, scope.isDissolved { standing = scope.successor }
    successor = standing
    return standing
  }

  /// A scope that had none above it.
  func put(below upper: KinScope) {
    if self.upper == nil, let upper = upper.standing, upper !== self { attach(to: upper) }
  }

  /// Lists in another scope what is listed here and meant.
  func moveLinks(to other: KinScope, where isMeant: (Link) -> Bool) {
    let all = links
    links = []
    for link in all { link.use { (isMeant($0) ? other : self).add($0) } }
  }

  private func attach(to upper: KinScope) {
    self.upper = upper
    indexInUpper = upper.lowers.count
    upper.lowers.append(Unretained(self))
  }

  private func detach() {
    guard let upper else { return }
    let moved = upper.lowers.removeLast()
    if indexInUpper < upper.lowers.count {
      upper.lowers[indexInUpper] = moved
      moved.use { $0.indexInUpper = indexInUpper }
    }
    self.upper = nil
  }

  /// Lists a link that has become active, in the scope that is in use; nowhere if none is.
  func add(_ link: Link) {
    guard let scope = standing else { return }
    link.home = scope
    link.indexInHome = scope.links.count
    scope.links.append(Unretained(link))
  }

  /// Takes a link off the list.
  func remove(at index: Int) {
    let moved = links.removeLast()
    guard index < links.count else { return }
    links[index] = moved
    moved.use { $0.indexInHome = index }
  }

  /// Its promise is gone: what it lists is listed above.
  func dissolve() {
    successor = upper
    detach()
    isDissolved = true
    let moving = (links: links, lowers: lowers)
    links = []
    lowers = []
    for link in moving.links {
      link.use { link in
        link.home = nil
        successor?.add(link)
      }
    }
    for scope in moving.lowers {
      scope.use { scope in
        scope.upper = nil
        if let successor { scope.attach(to: successor) }
      }
    }
  }

  /// The promises that are pending below, in this scope and those further below.
  func targets(where isMeant: (Link) -> Bool) -> [AnyPromise] {
    var targets: [AnyPromise] = []
    var scopes = [Unretained(self)]
    while let scope = scopes.popLast() {
      scope.use { scope in
        for link in scope.links {
          link.use { if isMeant($0), let target = $0.target { targets.append(target) } }
        }
        scopes += scope.lowers
      }
    }
    return targets
  }
}

/// A reference that does not count, see `KinScope`.
@safe
private struct Unretained<Object: AnyObject> {
  private let reference: Unmanaged<Object>
  init(_ object: Object) { unsafe reference = .passUnretained(object) }
  func use<Result>(_ body: (Object) -> Result) -> Result { unsafe reference._withUnsafeGuaranteedRef(body) }
}
