extension Recording {
  /// The promises that were made and not settled, in the order of their creation.
  var pending: [ID] {
    let settled = Set(events.lazy.compactMap(\.kind.settled))
    return events.compactMap { event in
      guard case .created(let creation) = event.kind, !creation.isObserver, !settled.contains(creation.id) else {
        return nil
      }
      return creation.id
    }
  }

  /// This recording with the ends of the promises that the library has bypassed.
  ///
  /// In a long loop the library replaces a promise that has adopted another by that other one, if no code of the
  /// program retains it (rule 3.3). Such a promise is never settled itself. The outcome of the adopted promise is its
  /// outcome, so its end is recorded there.
  ///
  /// - Complexity: O(*n*), where *n* is the number of events.
  func addingEndsOfBypassed() -> Recording {
    var ended = Set(events.lazy.compactMap(\.kind.settled))
    // The promises without an end that have adopted each promise.
    var adopters: [ID: [ID]] = [:]
    var complete: [Event] = []
    complete.reserveCapacity(events.count)
    for event in events {
      complete.append(event)
      if case .adopted(let id, let adopted) = event.kind, !ended.contains(id) {
        adopters[adopted, default: []].append(id)
      }
      guard case .settled(let settled, let outcome, let text) = event.kind else { continue }
      var waiting = adopters.removeValue(forKey: settled) ?? []
      while let id = waiting.popLast() {
        guard ended.insert(id).inserted else { continue }
        complete.append(Event(time: event.time, thread: event.thread, kind: .settled(id, outcome, text: text)))
        waiting += adopters.removeValue(forKey: id) ?? []
      }
    }
    var recording = self
    recording.events = complete
    return recording
  }
}
