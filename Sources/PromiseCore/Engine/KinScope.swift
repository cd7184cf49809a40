import Synchronization

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
/// A scope belongs to one settled promise, and goes with it: what it lists moves up to the scope above, so that there
/// are never more scopes than living settled promises. (The exception has two scopes above it, because its promise
/// followed one promise and was derived from another; it goes when one of these does, or when it is empty.)
///
/// Guarded by one spinning lock for all scopes. Under it there is no user code, and nobody waits for anything; it is not
/// on the way of promises that have at most one handler and whose ancestors are gone.
final class KinScope: @unchecked Sendable {
  // `@unchecked`: all fields are touched under the lock only.
  private struct Upper {
    let scope: KinScope
    var index: Int
  }
  private struct Lower {
    let scope: Unretained<KinScope>
    let slot: Int
  }

  private var uppers: [Upper] = []
  private var lowers: [Lower] = []
  private var links: [Unretained<Link>] = []
  private var isOwned = true
  /// The scopes that took over when this one was dissolved. Promises that nobody holds any more may still name this one.
  private var successors: [KinScope]?

  private init() {}

  deinit {
    // A line of dissolved scopes is let go one by one, not by recursion (rule 6.4).
    var others = successors ?? []
    successors = nil
    while var scope = others.popLast() {
      guard isKnownUniquelyReferenced(&scope), let next = scope.successors else { continue }
      scope.successors = nil
      others += next
    }
  }

  // MARK: The lock

  private static let isLocked = Atomic<Bool>(false)

  static func locked<Result>(_ body: () -> Result) -> Result {
    // Acquiring and releasing: what the last one did under the lock.
    while isLocked.exchange(true, ordering: .acquiring) {
      while isLocked.load(ordering: .relaxed) {}
    }
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }

  // MARK: Under the lock

  /// A scope below others; those that are gone are replaced by what is above them.
  static func make(below scopes: [KinScope]) -> KinScope {
    let scope = KinScope()
    for upper in scopes.flatMap(\.standing) { scope.attach(to: upper) }
    return scope
  }

  /// The scope itself if it is in use, else what is in use above it.
  private var standing: [KinScope] {
    guard successors != nil else { return [self] }
    var standing: [KinScope] = []
    var others = [self]
    while let scope = others.popLast() {
      if let next = scope.successors { others += next } else { standing.append(scope) }
    }
    successors = standing
    return standing
  }

  private func attach(to upper: KinScope) {
    guard !uppers.contains(where: { $0.scope === upper }) else { return }
    upper.lowers.append(Lower(scope: Unretained(self), slot: uppers.count))
    uppers.append(Upper(scope: upper, index: upper.lowers.count - 1))
  }

  private func detach(fromUpperAt slot: Int) {
    let upper = uppers.remove(at: slot)
    for later in slot..<uppers.count {
      uppers[later].scope.lowers[uppers[later].index] = Lower(scope: Unretained(self), slot: later)
    }
    upper.scope.removeLower(at: upper.index)
  }

  private func removeLower(at index: Int) {
    let moved = lowers.removeLast()
    guard index < lowers.count else { return tidy() }
    lowers[index] = moved
    moved.scope.object.uppers[moved.slot].index = index
  }

  /// The first of the scopes that are in use.
  private var firstStanding: KinScope? { successors == nil ? self : standing.first }

  /// Lists a link that has become active, in the nearest scope that is still in use; nowhere if none is.
  func add(_ link: Link) {
    guard let scope = firstStanding else { return }
    link.stage = .listed(scope, scope.links.count)
    scope.links.append(Unretained(link))
  }

  /// Takes a link off the list.
  func remove(at index: Int) {
    let moved = links.removeLast()
    guard index < links.count else { return tidy() }
    links[index] = moved
    moved.object.stage = .listed(self, index)
  }

  /// Its promise is gone.
  func disown() {
    isOwned = false
    tidy()
  }

  /// A scope without a promise that lists nothing, or that does not bring two scopes together, hands on what it lists.
  private func tidy() {
    guard !isOwned, successors == nil, uppers.count < 2 || links.isEmpty && lowers.isEmpty else { return }
    let above = uppers.map(\.scope)
    while !uppers.isEmpty { detach(fromUpperAt: uppers.count - 1) }
    successors = above
    for link in links {
      link.object.stage = .fired
      above.first?.add(link.object)
    }
    links = []
    for scope in lowers.map(\.scope.object) {
      guard let slot = scope.uppers.firstIndex(where: { $0.scope === self }) else { continue }
      scope.detach(fromUpperAt: slot)
      for upper in above.flatMap(\.standing) { scope.attach(to: upper) }
      scope.tidy()
    }
  }

  /// The promises that are pending below, and the scopes further below.
  func targets(where isMeant: (Link) -> Bool) -> [AnyPromise] {
    var targets: [AnyPromise] = []
    var scopes = [self]
    while let scope = scopes.popLast() {
      for link in scope.links {
        if isMeant(link.object), let target = link.object.target { targets.append(target) }
      }
      scopes += scope.lowers.map(\.scope.object)
    }
    return targets
  }
}

/// A reference that does not count. Safe here: whatever is listed leaves the list, under the lock, before it goes.
@safe
private struct Unretained<Object: AnyObject> {
  private let reference: Unmanaged<Object>
  init(_ object: Object) { unsafe reference = .passUnretained(object) }
  var object: Object { unsafe reference.takeUnretainedValue() }
}
