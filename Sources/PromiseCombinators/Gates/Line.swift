import PromiseCore

/// Who waits for a place, and who has one: first in, first out. It runs nothing.
///
///     join ──▶ waiting ──admitFirst──▶ admitted ──enter──▶ inside ──leave──▶ gone
///                 └───────give up──────────┴──────give up────────────────────┘
///
/// Nobody overtakes the first: one that wants many places is not kept waiting for ever by those who want few.
struct Line {
  /// Somebody who was let in, or waits for it.
  struct Guest {
    fileprivate let places: Int
    fileprivate var stage = Stage.waiting
    /// Fulfilled when it is let in.
    let entrance: Promise<Void>
  }

  fileprivate enum Stage { case waiting, admitted, inside }

  /// How many places nobody has.
  private(set) var free: Int
  private var guests: [Int: Guest] = [:]
  private var nextTicket = 0
  /// Whoever has a lower one was let in, or has gone.
  private var firstTicket = 0
  private(set) var countWaiting = 0
  /// How many are neither waiting nor inside.
  private(set) var countAdmitted = 0

  init(places: Int) { free = places }

  /// - Returns: the ticket.
  mutating func join(for places: Int, entrance: Promise<Void>) -> Int {
    guests[nextTicket] = Guest(places: places, entrance: entrance)
    countWaiting += 1
    defer { nextTicket += 1 }
    return nextTicket
  }

  /// Gives the first who waits his places; `nil`: nobody waits, or there are too few.
  ///
  /// - Complexity: O(1), over all calls.
  mutating func admitFirst() -> Guest? {
    guard var guest = firstWaiting, guest.places <= free else { return nil }
    free -= guest.places
    guest.stage = .admitted
    guests[firstTicket] = guest
    firstTicket += 1
    countWaiting -= 1
    countAdmitted += 1
    return guest
  }

  var firstWaiting: Guest? {
    mutating get {
      // Some have given up.
      while firstTicket < nextTicket, guests[firstTicket] == nil { firstTicket += 1 }
      return guests[firstTicket]
    }
  }

  /// What it was let in for begins. `false`: it has given up.
  mutating func enter(_ ticket: Int) -> Bool {
    guard var guest = guests[ticket] else { return false }
    // Taken out and put back: to change it in place would be three blocks for the dictionary's coroutines.
    guest.stage = .inside
    guests[ticket] = guest
    countAdmitted -= 1
    return true
  }

  /// It does not want to get in any more; if it is inside, nothing happens.
  mutating func giveUp(_ ticket: Int) -> Guest? {
    guard let guest = guests[ticket], guest.stage != .inside else { return nil }
    if guest.stage == .waiting {
      countWaiting -= 1
    } else {
      countAdmitted -= 1
      free += guest.places
    }
    forget(ticket)
    return guest
  }

  /// It was inside, and is done.
  mutating func leave(_ ticket: Int) -> Guest? {
    guard let guest = guests[ticket] else { return nil }
    free += guest.places
    forget(ticket)
    return guest
  }

  private mutating func forget(_ ticket: Int) {
    guests[ticket] = nil
    // What a rush has needed is not kept for ever.
    if guests.isEmpty, guests.capacity > 100 { guests = [:] }
  }
}
