/// The order of hooks. Hooks of a promise run before those of the promises that it gave up, if one cancellation reached
/// both (rule 4.5).
struct HookOrder: Hashable {
  /// For each promise, the promises that have given it up in this cancellation.
  private var consumers: [Int: Set<Int>] = [:]
  /// For each cancelled promise, the promises whose hooks run before its own hooks.
  private var earlier: [Int: Set<Int>] = [:]
  /// The hooks that were registered after the cancellation, and so run at once.
  private var late: Set<Event> = []

  mutating func note(_ consumer: Int, gaveUp promise: Int) { consumers[promise, default: []].insert(consumer) }

  mutating func noteCancelled(_ promise: Int) { earlier[promise] = consumers[promise] }

  /// Notes that a hook runs. From now on, the hook causes all cancellations.
  mutating func noteHook() { consumers = [:] }

  mutating func noteLate(_ hook: Event) { late.insert(hook) }

  func isKept(in events: [Event]) -> Bool {
    let hooks = events.filter { !late.contains($0) }.map { event in
      if case .hook(let promise, _, _) = event { promise } else { -1 }
    }
    return earlier.keys.allSatisfy { promise in
      guard let first = hooks.firstIndex(of: promise) else { return true }
      return allEarlier(than: promise).allSatisfy { other in
        hooks.lastIndex(of: other).map { $0 < first } ?? true
      }
    }
  }

  private func allEarlier(than promise: Int) -> Set<Int> {
    var found = earlier[promise] ?? []
    var left = Array(found)
    while let next = left.popLast() {
      let more = (earlier[next] ?? []).subtracting(found)
      found.formUnion(more)
      left += more
    }
    return found
  }
}
