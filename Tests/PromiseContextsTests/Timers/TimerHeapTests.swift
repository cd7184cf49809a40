import Synchronization
import TestSupport
import Testing

@Suite("The heap of timers") struct TimerHeapTests {
  /// A queue that entries need. It has no part in these tests.
  private let queue = TimerQueue { _ in }

  private func entry(_ deadline: UInt64) -> TimerEntry {
    TimerEntry(deadline: deadline, from: CreationSite(), in: queue) {}
  }

  /// Removes all due entries, in order.
  private func drain(_ heap: inout TimerHeap, at now: UInt64 = .max) -> [TimerEntry] {
    var entries: [TimerEntry] = []
    while let entry = heap.removeFirst(dueAt: now) { entries.append(entry) }
    return entries
  }

  @Test("A timer can be removed once from any position, and not after it has left the heap", .rule("4.9"))
  func removal() {
    for victim in 0..<20 {
      var heap = TimerHeap()
      let entries = (0..<20).map { entry(UInt64($0 * 7 % 20)) }
      for entry in entries { heap.insert(entry) }
      let answers = [heap.remove(entries[victim]), heap.remove(entries[victim])]
      #expect(answers == [true, false])
      let left = drain(&heap).map(\.deadline)
      #expect(left == (0..<20).map(UInt64.init).filter { $0 != entries[victim].deadline })
      let hadLeft = !heap.remove(entries[(victim + 1) % 20])
      #expect(hadLeft)
    }
  }

  @Test("The heap behaves like a sorted list for any insertions and removals", .rule("4.9"), arguments: 0..<20)
  func model(_ seed: UInt64) {
    var random = Seeded(seed)
    var heap = TimerHeap()
    // The list is sorted by deadline, and entries of the same deadline are in the order of insertion.
    var list: [TimerEntry] = []
    for _ in 0..<2_000 {
      switch random.next() % 4 {
      case 0, 1:
        let entry = entry(random.next() % 50)
        heap.insert(entry)
        list.insert(entry, at: list.firstIndex { $0.deadline > entry.deadline } ?? list.endIndex)
      case 2 where !list.isEmpty:
        let place = Int(random.next() % UInt64(list.count))
        let wasThere = heap.remove(list.remove(at: place))
        #expect(wasThere)
      default:
        let now = random.next() % 50
        let isDue = list.first.map { $0.deadline <= now } ?? false
        let first = heap.removeFirst(dueAt: now)
        #expect(first === (isDue ? list.removeFirst() : nil))
      }
      #expect(heap.count == list.count)
      #expect(heap.earliest == list.first?.deadline)
    }
    #expect(drain(&heap).map(ObjectIdentifier.init) == list.map(ObjectIdentifier.init))
  }
}

private let tickets = Atomic<UInt64>(0)

extension TimerHeap {
  /// Inserts the entry with the next ticket.
  fileprivate mutating func insert(_ entry: TimerEntry) {
    insert(entry, ticket: tickets.add(1, ordering: .relaxed).newValue)
  }
}
