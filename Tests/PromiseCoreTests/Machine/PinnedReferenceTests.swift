import PromiseCore
import Synchronization
import TestSupport
import Testing

/// A pinned reference, and something to share between threads.
private final class Holder: @unchecked Sendable {
  // `@unchecked`: a reference is one atomic word, made to be shared; only the promises that hold one are said to be Sendable.
  private let reference: PinnedReference
  init(_ object: AnyObject?) { reference = PinnedReference(object.map(PromiseCoreTests.address(of:)) ?? 0) }

  var isEmpty: Bool { reference.isEmpty }
  var address: UInt64 { reference.address }
  func publish(_ object: Tracked) { reference.publish(PromiseCoreTests.address(of: object)) }
  func load() -> Tracked? { reference.load(as: Tracked.self) }
  func retire(_ object: Tracked) -> Bool { reference.retire(object) }
  func replace(_ old: Tracked, by new: Tracked) -> Bool {
    reference.replace(PromiseCoreTests.address(of: old), by: PromiseCoreTests.address(of: new))
  }
}

private final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  func increment() { value.add(1, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
}

private func address(of object: AnyObject) -> UInt64 {
  UInt64(UInt(bitPattern: ObjectIdentifier(object)))
}

/// What one thread owns and lets go.
private final class Owned: Sendable {
  fileprivate let object: Locked<Tracked?>
  init(_ object: Tracked) { self.object = Locked(object) }
  func take() -> Tracked? {
    object.withLock { object in
      defer { object = nil }
      return object
    }
  }
}

@Suite struct PinnedReferenceTests {
  @Test("rule 6.3: a reference does not keep its object alive")
  func keepsNothingAlive() {
    let census = Tracked.Census()
    var object: Tracked? = Tracked(census)
    let holder = Holder(object)
    #expect(!holder.isEmpty)
    if let object { #expect(holder.retire(object)) }
    object = nil
    #expect(census.living == 0)
    #expect(holder.load() == nil)
  }

  @Test("rule 6.3: what was loaded lives on its own, after the reference was retired too")
  func loadedIsRetained() throws {
    let census = Tracked.Census()
    var object: Tracked? = Tracked(census)
    let holder = Holder(object)
    var loaded = holder.load()
    #expect(loaded === object)
    #expect(holder.retire(try #require(object)))
    object = nil
    #expect(census.living == 1)
    #expect(loaded != nil)
    loaded = nil
    #expect(census.living == 0)
  }

  @Test("rule 3.4: a reference is retired once, and only by who names its object")
  func retiredOnce() {
    let census = Tracked.Census()
    let object = Tracked(census)
    let other = Tracked(census)
    let holder = Holder(object)
    #expect(!holder.retire(other))
    #expect(holder.address == address(of: object))
    #expect(holder.retire(object))
    #expect(!holder.retire(object))
    #expect(holder.isEmpty)
    #expect(holder.address == 0)
    #expect(holder.load() == nil)
  }

  @Test("rule 3.2: an empty reference gives nothing, cannot be retired, and can be published")
  func emptyThenPublished() {
    let census = Tracked.Census()
    let object = Tracked(census)
    let holder = Holder(nil)
    #expect(holder.isEmpty)
    #expect(holder.load() == nil)
    #expect(!holder.retire(object))
    holder.publish(object)
    #expect(holder.load() === object)
    #expect(holder.retire(object))
  }

  @Test("rule 3.3: a reference moves from one object to another, unless it refers to a third or was retired")
  func replaced() {
    let census = Tracked.Census()
    let first = Tracked(census)
    let second = Tracked(census)
    let holder = Holder(first)
    #expect(!holder.replace(second, by: first))
    #expect(holder.replace(first, by: second))
    #expect(holder.load() === second)
    #expect(!holder.retire(first))
    #expect(holder.retire(second))
    #expect(!holder.replace(second, by: first))
    #expect(holder.isEmpty)
  }

  @Test("rules 6.3, 8.2: readers race with the end of the object: each gets a living object or none, and nothing leaks")
  func loadRacesWithRetire() {
    let census = Tracked.Census()
    let found = Counter()
    let missed = Counter()
    // Until both orders have happened, and no fewer than 20 times. One reader runs with the retirer, one against it.
    var rounds = 0
    while rounds < 20 || found.count == 0 || missed.count == 0, rounds < 10_000 {
      let owned = (0..<500).map { _ in Owned(Tracked(census)) }
      let holders = owned.map { $0.peek { Holder($0) } }
      // Whatever was loaded is used and released by its reader. A release too many would take the census below 0.
      let read: @Sendable (Holder) -> Void = { ($0.load() == nil ? missed : found).increment() }
      race([
        { for holder in holders { for _ in 0..<4 { read(holder) } } },
        { for holder in holders.reversed() { for _ in 0..<4 { read(holder) } } },
        {
          for (holder, owned) in zip(holders, owned) {
            guard let object = owned.take() else { continue }
            let retired = holder.retire(object)
            #expect(retired)
          }
        },
      ])
      #expect(census.living == 0)
      #expect(holders.allSatisfy { $0.isEmpty })
      rounds += 1
    }
    #expect(found.count > 0 && missed.count > 0)
  }

  @Test("rules 3.4, 8.2: of several threads that retire one reference exactly one wins, and nothing leaks")
  func retireRacesWithRetire() {
    let census = Tracked.Census()
    for _ in 0..<20 {
      let owned = (0..<500).map { _ in Owned(Tracked(census)) }
      let holders = owned.map { $0.peek { Holder($0) } }
      let won = Counter()
      let retire: @Sendable () -> Void = {
        for (holder, owned) in zip(holders, owned) {
          guard let object = holder.load(), holder.retire(object) else { continue }
          won.increment()
          _ = owned.take()
        }
      }
      race([retire, retire])
      #expect(won.count == 500)
      #expect(census.living == 0)
    }
  }
}

extension Owned {
  func peek<Result>(_ body: (Tracked?) -> Result) -> Result { object.withLock { body($0) } }
}
