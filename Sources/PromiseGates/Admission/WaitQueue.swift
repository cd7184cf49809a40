import PromiseContexts
import PromiseCore

/// A queue of guests that wait for places, or have them. It calls no closure.
///
///     append ──▶ waiting or ranked ──admitFirst──▶ admitted ──enter──▶ running ──remove──▶ removed
///                       └───────────remove─────────────┴────────remove─────────────────────┘
///
/// Invariant: guests without a priority are admitted in the order in which they were appended. A guest that needs
/// many places is therefore not starved by later guests that need few. Guests with a priority are ranked. Their order
/// is that of the levels of their priorities at the time of the admission, and among equal levels that in which they
/// were appended. A guest without a priority has the level 0.
struct WaitQueue {
  /// A closure that waits for its places, or has them.
  struct Guest {
    fileprivate let places: Int
    fileprivate var stage = Stage.waiting
    /// Fulfilled when the guest is admitted.
    let admitted: Promise<Void>
    /// The pool of the code that has appended the guest.
    let pool: PoolContext
  }

  /// An admitted or running guest has its places. A ranked guest waits, and has a priority.
  fileprivate enum Stage {
    case waiting, ranked, admitted, running

    var isWaiting: Bool { self == .waiting || self == .ranked }
  }

  /// A state of the queue for which clients wait.
  enum Calm {
    /// No guest is left.
    case idle
    /// No guest has its places.
    case empty
    /// A further guest may come.
    case room
  }

  /// The number of places that no guest has. It is below zero if guests have more places than there are, because the
  /// number of places was lowered.
  private(set) var freePlaces: Int
  private var guests: [Int: Guest] = [:]
  private var nextID = 0
  /// Invariant: no guest with a lower ID is in the stage `waiting`.
  private var firstWaitingID = 0
  private(set) var waitingCount = 0
  /// The number of guests that are admitted and do not run yet.
  private(set) var admittedCount = 0
  private var rareFields: RareFields?

  /// Fields that few queues need. A queue allocates them on first use.
  private final class RareFields {
    let waitingLimit: WaitingLimit?
    let queueLimit: Int?
    /// The number of guests that were removed because there was no room for them, and whose results are still pending.
    var refusedCount = 0
    var ranking = Ranking()
    /// Fulfilled by the caller.
    var promises: [Calm: Promise<Void>] = [:]

    init(waitingLimit: WaitingLimit? = nil, queueLimit: Int? = nil) {
      self.waitingLimit = waitingLimit
      self.queueLimit = queueLimit
    }
  }

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - waitingLimit: how long a guest may wait, for the caller.
  ///   - queueLimit: how many guests may wait. With `nil` there is no limit.
  init(places: Int, waitingLimit: WaitingLimit? = nil, queueLimit: Int? = nil) {
    freePlaces = places
    if waitingLimit != nil || queueLimit != nil {
      rareFields = RareFields(waitingLimit: waitingLimit, queueLimit: queueLimit.map { max(0, $0) })
    }
  }

  /// How long a guest may wait, or `nil` if there is no limit.
  var waitingLimit: WaitingLimit? { rareFields?.waitingLimit }

  /// How many guests may wait, or `nil` if there is no limit.
  var queueLimit: Int? { rareFields?.queueLimit }

  /// The number of guests that have their places.
  var holderCount: Int { guests.count - waitingCount }

  /// Appends a guest that needs a number of places.
  ///
  /// - Parameters:
  ///   - priority: determines the place in the queue. With `nil` it is that of the level 0.
  ///   - admitted: fulfilled by the caller when the guest is admitted.
  ///   - pool: the pool of the running code.
  /// - Returns: the ID of the guest.
  mutating func append(places: Int, priority: QueuePriority?, admitted: Promise<Void>, pool: PoolContext) -> Int {
    var guest = Guest(places: places, admitted: admitted, pool: pool)
    if let priority {
      guest.stage = .ranked
      withRareFields.ranking.append(nextID, with: priority)
    }
    guests[nextID] = guest
    waitingCount += 1
    defer { nextID += 1 }
    return nextID
  }

  /// Appends a guest that has its places and runs. The caller knows that they are free, and that no guest waits.
  mutating func appendRunning(places: Int, admitted: Promise<Void>, pool: PoolContext) -> Int {
    var guest = Guest(places: places, admitted: admitted, pool: pool)
    guest.stage = .running
    guests[nextID] = guest
    freePlaces -= places
    defer { nextID += 1 }
    return nextID
  }

  /// The rare fields, which are allocated if there are none.
  private var withRareFields: RareFields {
    mutating get {
      if let rareFields { return rareFields }
      let rareFields = RareFields()
      self.rareFields = rareFields
      return rareFields
    }
  }

  /// The guest that is to be admitted next, or `nil` if no guest waits or too few places are free for the first one.
  var firstAdmissible: Guest? {
    mutating get { idOfFirstAdmissible().flatMap { guests[$0] } }
  }

  /// Admits the guest that is to be admitted next. It gets its places.
  ///
  /// - Returns: the guest, or `nil` if no guest waits or too few places are free for the first one.
  /// - Complexity: amortized O(1), and O(*n*) if *n* priorities have guests that wait.
  mutating func admitFirst() -> Guest? {
    // The levels of priorities may change at any time, so the guest is looked up once.
    guard let id = idOfFirstAdmissible(), var guest = guests[id] else { return nil }
    if guest.stage == .ranked { rareFields?.ranking.didRemoveGuest() }
    freePlaces -= guest.places
    guest.stage = .admitted
    guests[id] = guest
    if id == firstWaitingID { firstWaitingID += 1 }
    waitingCount -= 1
    admittedCount += 1
    return guest
  }

  /// Adds places, or removes them if the number is below zero. The places that guests have are the last to be removed.
  mutating func addPlaces(_ count: Int) { freePlaces += count }

  /// The guests that have their places, in the order in which they were appended.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of guests. For descriptions.
  var holders: [Guest] {
    guests.filter { !$0.value.stage.isWaiting }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The number of guests that wait before the one with that promise. For descriptions.
  func countWaiting(before admitted: AnyPromise) -> Int {
    guard let id = guests.first(where: { $0.value.admitted === admitted })?.key else { return 0 }
    let levels = rareFields?.ranking.levels ?? [:]
    let level = levels[id, default: 0]
    return guests.count { other, guest in
      let otherLevel = levels[other, default: 0]
      return guest.stage.isWaiting && (otherLevel > level || otherLevel == level && other < id)
    }
  }

  /// The guest that is to be admitted next.
  var firstWaiting: Guest? {
    mutating get { idOfFirstWaiting().flatMap { guests[$0] } }
  }

  private mutating func idOfFirstAdmissible() -> Int? {
    // Each operation needs a place, so a full gate looks at no priorities.
    guard freePlaces > 0, let id = idOfFirstWaiting(), let guest = guests[id], guest.places <= freePlaces else {
      return nil
    }
    return id
  }

  private mutating func idOfFirstWaiting() -> Int? {
    // Guests that were withdrawn leave gaps in the sequence of IDs, and ranked guests are not in it.
    while firstWaitingID < nextID, guests[firstWaitingID]?.stage != .waiting { firstWaitingID += 1 }
    let first = firstWaitingID < nextID ? firstWaitingID : nil
    guard let ranked = rareFields?.ranking.first(where: { guests[$0]?.stage == .ranked }) else { return first }
    guard let first else { return ranked.id }
    return ranked.level > 0 || ranked.level == 0 && ranked.id < first ? ranked.id : first
  }

  /// Marks an admitted guest as running.
  ///
  /// - Returns: `false` if the guest was withdrawn.
  mutating func enter(_ id: Int) -> Bool {
    guard var guest = guests[id] else { return false }
    // The guest is copied and stored again. A change in place would allocate three blocks for the coroutines of the
    // dictionary's accessors.
    guest.stage = .running
    guests[id] = guest
    admittedCount -= 1
    return true
  }

  /// Removes a guest, and frees its places if it has them.
  ///
  /// - Returns: the removed guest, to be released outside the lock.
  mutating func remove(_ id: Int) -> Guest? {
    guard let guest = guests[id] else { return nil }
    guests[id] = nil
    if guest.stage.isWaiting {
      waitingCount -= 1
    } else {
      freePlaces += guest.places
    }
    if guest.stage == .admitted { admittedCount -= 1 }
    if guest.stage == .ranked { rareFields?.ranking.didRemoveGuest { guests[$0]?.stage == .ranked } }
    // Releases the memory that a burst of guests has needed.
    if guests.isEmpty, guests.capacity > 100 { guests = [:] }
    return guest
  }

  /// Removes the guests that were appended last, if more wait than the queue may have. The caller has admitted those
  /// for which there are places.
  ///
  /// - Returns: the removed guests, the last one first, to be rejected and released outside the lock. Then call
  ///   ``didRefuse(_:)``.
  /// - Complexity: O(1) as a rule, because no guest comes between those that are removed.
  mutating func removeExcess() -> [Guest] {
    guard let limit = queueLimit, waitingCount > limit else { return [] }
    var removed: [Guest] = []
    var id = nextID
    while waitingCount > limit {
      id -= 1
      if guests[id]?.stage.isWaiting == true, let guest = remove(id) { removed.append(guest) }
    }
    rareFields?.refusedCount += removed.count
    return removed
  }

  /// Notes that the results of a number of removed guests are settled.
  func didRefuse(_ count: Int) { rareFields?.refusedCount -= count }

  /// Returns the promise that is to be fulfilled when the queue is in a state in which it is not now.
  ///
  /// - Parameter new: stored if there is no such promise yet, or if its clients have cancelled it.
  /// - Returns: also the cancelled promise, to be released outside the lock.
  mutating func promise(
    for calm: Calm, orStore new: Promise<Void>
  ) -> (promise: Promise<Void>, cancelled: Promise<Void>?) {
    let rareFields = withRareFields
    let old = rareFields.promises[calm]
    if let old, old.isPending { return (old, nil) }
    rareFields.promises[calm] = new
    return (new, old)
  }

  /// Removes the promise that was to be fulfilled, if its clients have cancelled it.
  ///
  /// - Returns: the removed promise, to be released outside the lock.
  func removeCancelledPromise(for calm: Calm) -> Promise<Void>? {
    guard let rareFields, rareFields.promises[calm]?.isPending == false else { return nil }
    return rareFields.promises.removeValue(forKey: calm)
  }

  /// Takes a promise that is to be fulfilled because no guest has its places.
  func takePromiseForCalm() -> Promise<Void>? {
    guard let rareFields, holderCount == 0, !rareFields.promises.isEmpty else { return nil }
    for calm in [Calm.idle, .empty] where isCalm(calm) {
      if let promise = rareFields.promises.removeValue(forKey: calm) { return promise }
    }
    return nil
  }

  /// The promise that is to be fulfilled when the queue has room, if clients wait for it.
  var promiseForRoom: Promise<Void>? { rareFields?.promises[.room] }

  /// Removes the promise that is to be fulfilled when the queue has room.
  func removePromiseForRoom() { rareFields?.promises[.room] = nil }

  /// Returns whether the queue is in a state. The caller knows whether the gate admits guests, on which `room` depends.
  ///
  /// - Parameter isOpen: whether the gate would admit a guest that came to an empty queue.
  func isCalm(_ calm: Calm, isOpen: @autoclosure () -> Bool = false) -> Bool {
    switch calm {
    case .idle: guests.isEmpty && (rareFields?.refusedCount ?? 0) == 0
    case .empty: holderCount == 0
    case .room: queueLimit.map { waitingCount < $0 || waitingCount == 0 && freePlaces > 0 && isOpen() } ?? true
    }
  }
}
