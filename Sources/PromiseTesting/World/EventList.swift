/// The actions of ``TestWorld/sometime(_:within:_:)`` that have not run, in the order in which they were added.
struct EventList {
  struct Event {
    let ticket: UInt64
    /// The time at which the event comes at the latest.
    let deadline: UInt64
    let action: WorkItem
  }

  private(set) var events: [Event] = []

  var isEmpty: Bool { events.isEmpty }

  /// The earliest deadline.
  var earliest: UInt64? { events.lazy.map(\.deadline).min() }

  mutating func append(_ event: Event) { events.append(event) }

  /// Removes and returns the action of the event with this index.
  mutating func remove(at index: Int) -> WorkItem { events.remove(at: index).action }

  /// Removes and returns all events.
  mutating func removeAll() -> [Event] {
    defer { events = [] }
    return events
  }

  /// The events as steps, each a run of its own.
  ///
  /// An event that is not due has a ticket above those of all other steps, and above that of
  /// ``ReadySteps/Source/later``. So in the default order, which takes the step with the lowest ticket, it comes at its
  /// deadline. To bring it at any other moment takes one choice.
  ///
  /// - Parameters:
  ///   - time: the world's time.
  ///   - onlyDue: whether to leave out the events that may still wait.
  func runs(at time: UInt64, onlyDue: Bool) -> [ReadySteps.Run] {
    events.enumerated().compactMap { index, event in
      let isDue = event.deadline <= time
      if onlyDue, !isDue { return nil }
      let ticket = isDue ? event.ticket : Self.later.newest + 1 + event.ticket
      return ReadySteps.Run(source: .event(index, deadline: event.deadline), oldest: ticket, newest: ticket)
    }
  }

  /// The choice that no event comes now. Its ticket is above those of all steps, of which there are less than 2⁶³.
  static let later = ReadySteps.Run(source: .later, oldest: 1 << 63, newest: 1 << 63)
}
