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
/// A promise that was derived from one and has adopted another is below both, so its scope may have two above it; if
/// nobody holds the promise, the scope is *nobody's*. Scopes go as soon as they are not needed to tell things apart, so
/// that there are never many more of them than living settled promises:
/// - one whose promise goes, or nobody's, that has one scope above it: what it lists moves up;
/// - nobody's that lists nothing, and that no promise names;
/// - those of a long line of nobody's: one takes the place of all (`KinScope.joining`).
///
/// Guarded by one lock for all scopes. Under it no user code runs, nothing is released that could end a link or a
/// promise, and nobody waits. What is listed leaves the list, under the lock, before it goes; so it can be used there
/// without being retained, and must be: the thread that let go of a link meanwhile would otherwise leave its `deinit` to us.
final class KinScope: @unchecked Sendable {
  // `@unchecked`: all fields are touched under the lock only. The lists without exclusivity checks, which would cost more than what
  // is done with them: no closure that is passed to them touches the same list.

  /// A scope above, and where this one stands in its `lowers`.
  private struct Upper {
    let scope: KinScope
    var index: Int
  }

  /// A scope below, and where this one stands in its `uppers`.
  private struct Lower {
    let scope: Unretained<KinScope>
    var index: Int
  }

  @safe @exclusivity(unchecked) private var uppers = ShortList<Upper>()
  @safe @exclusivity(unchecked) private var lowers = ShortList<Lower>()
  @safe @exclusivity(unchecked) private var links = ShortList<Unretained<Link>>()
  /// A settled promise that may be held has this scope for its own.
  private var isOwned: Bool
  /// How many promises list here, or below here, without having this scope for their own.
  private var users = 0
  /// How many of nobody's stand above one another here, and how many may before they are joined.
  private var depth = 0
  private var mostDepth = KinScope.shallow
  private static let shallow = 16
  private var isDissolved = false
  /// The scope that took over when this one was dissolved: promises may still name this one.
  private var successor: KinScope?
  /// The last search that came by: there may be several ways.
  private var lastSearch: UInt64 = 0
  nonisolated(unsafe) private static var searches: UInt64 = 0

  private init(isOwned: Bool) { self.isOwned = isOwned }

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

  private static let lock = ShortLock()

  static func locked<Result>(_ body: () -> Result) -> Result { lock.locked(body) }
}

// MARK: - Making and using, under the lock

extension KinScope {
  /// A scope below others, as far as these are in use.
  ///
  /// - Parameter isOwned: it is a promise's own; `false`: nobody's.
  static func make(below upper: KinScope?, and other: KinScope? = nil, isOwned: Bool) -> KinScope {
    let scope = KinScope(isOwned: isOwned)
    if let upper { scope.put(below: upper) }
    if let other { scope.put(below: other) }
    if !isOwned { scope.joinLine() }
    return scope
  }

  /// Keeps a line of nobody's short, at a cost that is constant for each of them: a promise that is derived from an
  /// adopter, and adopts in turn, and so on without an end, adds one each time, though the held promises above them may
  /// be few.
  private func joinLine() {
    let line = uppers.map(\.scope).filter { !$0.isOwned }
    depth = 1 + (line.map(\.depth).max() ?? 0)
    mostDepth = line.map(\.mostDepth).max() ?? Self.shallow
    guard depth > mostDepth else { return }
    var owned: [KinScope] = []
    var visited: Set<ObjectIdentifier> = []
    var found = uppers.map(\.scope)
    while let scope = found.popLast() {
      guard visited.insert(ObjectIdentifier(scope)).inserted else { continue }
      if scope.isOwned { owned.append(scope) } else { found += scope.uppers.map(\.scope) }
    }
    leaveUppers()
    for upper in owned { put(below: upper, isNew: true) }
    depth = 1
    mostDepth = Self.shallow + 2 * owned.count
    Self.tidy(line)
  }

  /// The scope itself, or the one in use that took over from it, if any.
  var standing: KinScope? { isDissolved ? lastSuccessor : self }

  private var lastSuccessor: KinScope? {
    guard let next = successor, next.isDissolved else { return successor }
    var standing = next.successor
    while let scope = standing, scope.isDissolved { standing = scope.successor }
    successor = standing
    return standing
  }

  /// A promise names this scope, which is not its own.
  func gainUser() { if isDissolved { lastSuccessor?.users += 1 } else { users += 1 } }

  /// A promise names it no more.
  func loseUser() {
    guard !isDissolved else {
      lastSuccessor?.loseUser()
      return
    }
    users -= 1
    goIfNotNeeded()
  }

  /// Lists a link that has become active, in the scope that is in use; nowhere if none is.
  func add(_ link: Link) {
    guard !isDissolved else {
      lastSuccessor?.add(link)
      return
    }
    link.stand = .listed(in: self, at: links.count)
    links.append(Unretained(link))
  }

  /// Takes a link off the list.
  func remove(at index: Int) {
    links.remove(at: index)?.use { $0.stand = .listed(in: self, at: index) }
    goIfNotNeeded()
  }

  /// Lists in another scope what is listed here and meant.
  func moveLinks(to other: KinScope, where isMeant: (Link) -> Bool) {
    let all = links
    links = ShortList()
    for link in all { link.use { (isMeant($0) ? other : self).add($0) } }
  }

  /// Its promise is gone.
  func disown() {
    isOwned = false
    // Nobody's from now on, and so part of a line, if there is one.
    if isNeeded { joinLine() }
    goIfNotNeeded()
  }

  /// The promises that are pending below, in this scope and those further below.
  func targets(where isMeant: (Link) -> Bool) -> [AnyPromise] {
    unsafe Self.searches += 1
    let search = unsafe Self.searches
    var targets: [AnyPromise] = []
    var scopes = [Unretained(self)]
    while let scope = scopes.popLast() {
      scope.use { scope in
        if scope.lastSearch == search { return }
        scope.lastSearch = search
        for link in scope.links {
          link.use {
            guard isMeant($0), let target = $0.openTarget else { return }
            targets.append(target)
            // Who is settling it looks after what is below; else each of a line would be asked for all that come after it.
            if $0.traits.contains(.standsIn), target.kin.tag == .scope {
              target.kin.withScope { $0.lastSearch = search }
            }
          }
        }
        scopes += scope.lowers.map(\.scope)
      }
    }
    return targets
  }
}

// MARK: - Above and below, under the lock

extension KinScope {
  /// From now on this scope is below another too, if that is in use.
  ///
  /// - Parameter isNew: it is known not to be below that one yet.
  func put(below upper: KinScope, isNew: Bool = false) {
    guard let upper = upper.standing, upper !== self else { return }
    if !isNew, uppers.contains(where: { $0.scope === upper }) { return }
    uppers.append(Upper(scope: upper, index: upper.lowers.count))
    upper.lowers.append(Lower(scope: Unretained(self), index: uppers.count - 1))
  }

  private func leaveUpper(at index: Int) {
    let upper = uppers[index]
    if let lower = upper.scope.lowers.remove(at: upper.index) {
      lower.scope.use { $0.uppers[lower.index].index = upper.index }
    }
    if let moved = uppers.remove(at: index) { moved.scope.lowers[moved.index].index = index }
  }

  private func leaveUppers() {
    while !uppers.isEmpty { leaveUpper(at: uppers.count - 1) }
  }

  private var isNeeded: Bool {
    isOwned || isDissolved || uppers.count > 1 && (users > 0 || !links.isEmpty || !lowers.isEmpty)
  }

  private func goIfNotNeeded() {
    guard !isNeeded else { return }
    let changed = dissolve()
    if !changed.isEmpty { Self.tidy(changed) }
  }

  /// Dissolves those that are not needed any more, and others that are not because of it. A loop, however many.
  private static func tidy(_ scopes: [KinScope]) {
    var scopes = scopes
    while let scope = scopes.popLast() {
      if !scope.isNeeded { scopes += scope.dissolve() }
    }
  }

  /// What it lists, if anything, moves to the one scope above.
  ///
  /// Returns the scopes that were above and below.
  private func dissolve() -> [KinScope] {
    // Mostly: one that was made in case somebody comes, and nobody did.
    if uppers.isEmpty, lowers.isEmpty, links.isEmpty {
      isDissolved = true
      return []
    }
    let above = uppers.map(\.scope)
    successor = above.count == 1 ? above[0] : nil
    isDissolved = true
    successor?.users += users
    let moving = links
    links = ShortList()
    for link in moving {
      link.use { link in
        link.stand = .nowhere
        successor?.add(link)
      }
    }
    var changed = above
    while let lower = lowers.last {
      lower.scope.use { scope in
        scope.leaveUpper(at: lower.index)
        if let successor { scope.put(below: successor) }
        changed.append(scope)
      }
    }
    leaveUppers()
    return changed
  }
}

/// A reference that does not count, see `KinScope`.
@safe
private struct Unretained<Object: AnyObject> {
  private let reference: Unmanaged<Object>
  /// Borrowed: what an initialiser takes it would let go, in debug builds, and that might be the last reference.
  init(_ object: borrowing Object) { unsafe reference = .passUnretained(object) }
  func use<Result>(_ body: (Object) -> Result) -> Result { unsafe reference._withUnsafeGuaranteedRef(body) }
}
