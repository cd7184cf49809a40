/// Finds what is pending below a settled promise.
///
/// The walk is made in pieces, so that the stripe is not held for long. Between two pieces a cursor keeps the place,
/// and an end mark before the exit of the promise keeps the walk from following entries that are attached meanwhile. A
/// walk that is found to be short needs neither.
package final class TourWalk {
  /// How many marks one piece visits at most.
  package static let longest = 256

  private let promise: AnyPromise
  private let state: StateWord
  private var cursor: TourCursor?
  private var end: TourCursor?
  /// The pending promises, in the order of the tour.
  package private(set) var found: [AnyPromise] = []

  /// - Parameter promise: a settled promise.
  package init(below promise: AnyPromise) {
    self.promise = promise
    state = promise.relaxedState
  }

  deinit {
    if cursor == nil, end == nil { return }
    Stripe.locked(state) { removeMarks() }
  }

  /// Visits the next marks. Returns whether the walk has ended.
  package func walkNextPiece() -> Bool {
    Stripe.locked(state) {
      let exit = TourMark.exit(promise)
      // Nothing was ever attached.
      guard promise.relaxedState.hasExit else { return true }
      let last = end.map { TourMark.cursor($0) } ?? exit
      var mark = takeStart(exit)
      var visited = 0
      while mark != last, visited < Self.longest {
        if let entered = mark.entered, entered.withUncounted({ $0.relaxedState.isPending }) {
          found.append(entered.strong)
        }
        mark = mark.next
        visited += 1
      }
      guard mark != last else {
        removeMarks()
        return true
      }
      if end == nil { end = insertCursor(before: exit) }
      cursor = insertCursor(before: mark)
      return false
    }
  }

  /// The mark with which the next piece begins. Removes the cursor.
  private func takeStart(_ exit: TourMark) -> TourMark {
    if let cursor {
      let mark = TourMark.cursor(cursor)
      defer {
        mark.remove()
        self.cursor = nil
      }
      return mark.next
    }
    return state.isEntry && TourMark.enter(promise).isInTour ? TourMark.enter(promise).next : exit.next
  }

  private func insertCursor(before mark: TourMark) -> TourCursor {
    let cursor = TourCursor()
    TourMark.cursor(cursor).insert(before: mark)
    return cursor
  }

  private func removeMarks() {
    for mark in [cursor, end] { if let mark { TourMark.cursor(mark).remove() } }
    cursor = nil
    end = nil
  }
}

extension AnyPromise {
  /// Calls the body with each promise that is pending below this settled promise. Entries that are attached during the
  /// call may be left out.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises below that are not deallocated.
  final func forEachPendingBelow(_ body: (AnyPromise) -> Void) {
    let walk = TourWalk(below: self)
    while !walk.walkNextPiece() {}
    for promise in walk.found { body(promise) }
  }
}
