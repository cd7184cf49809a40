import PromiseCore
import Synchronization
import TestSupport
import Testing

/// A pinned reference, and something to share between threads.
private final class Holder: @unchecked Sendable {
  // `@unchecked`: a reference is one atomic word, made to be shared; only the promises that hold one are said to be Sendable.
  private let reference: PinnedReference
  init(_ object: Tracked?) { reference = PinnedReference(object.map(Self.address(of:)) ?? 0) }

  var isEmpty: Bool { reference.isEmpty }
  func publish(_ object: Tracked) { reference.publish(Self.address(of: object)) }
  func load() -> Tracked? { reference.read(Tracked.self) { $0 } }
  func retire(_ object: Tracked) -> Bool { retirement(of: object) == .ended }
  func retirement(of object: Tracked) -> PinnedReference.Retirement { reference.retire(Self.address(of: object)) }
  func beginMoving(from old: Tracked) -> Bool { reference.beginMoving(from: Self.address(of: old)) }
  func endMoving(from old: Tracked, to new: Tracked) -> Bool {
    reference.endMoving(from: Self.address(of: old), to: Self.address(of: new))
  }
  func replace(_ old: Tracked, by new: Tracked) -> Bool {
    reference.replace(Self.address(of: old), by: Self.address(of: new))
  }
  func read<Result>(_ body: (Tracked) -> Result?) -> Result? { reference.read(Tracked.self, body) }

  static func address(of object: Tracked) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(object))) }
}

/// What one thread owns and lets go, as soon as its reference is retired.
private final class Owned: Sendable {
  private let object: Locked<Tracked?>
  let holder: Holder
  init(_ object: Tracked) {
    self.object = Locked(object)
    holder = Holder(object)
  }

  func take() -> Tracked? {
    object.withLock { object in
      defer { object = nil }
      return object
    }
  }
}

private final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  func increment() { value.add(1, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
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

  @Test("rule 6.3: what a reader took out lives on its own, after the reference was retired too")
  func takenOutIsRetained() throws {
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

  @Test(
    "rule 6.3: a reader is given the object, and what it says is given back; nothing is read where there is nothing")
  func reads() {
    let census = Tracked.Census()
    let object = Tracked(census)
    let holder = Holder(object)
    #expect(holder.read { $0 === object } == true)
    #expect(holder.read { _ in Int?.none } == nil)
    // Both left no pin behind: retiring would wait for it.
    #expect(holder.retire(object))
    #expect(holder.read { _ in Issue.record("read after the end") } == nil)
  }

  @Test("rule 3.4: a reference is retired once, and only by who names its object")
  func retiredOnce() {
    let census = Tracked.Census()
    let object = Tracked(census)
    let other = Tracked(census)
    let holder = Holder(object)
    #expect(!holder.retire(other))
    #expect(holder.load() === object)
    #expect(holder.retire(object))
    #expect(!holder.retire(object))
    #expect(holder.isEmpty)
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

  @Test("rule 3.3: who retires a reference that is moving leaves what holds it to the mover, whose move then fails")
  func movingAndRetired() {
    let census = Tracked.Census()
    let first = Tracked(census)
    let second = Tracked(census)
    let moved = Holder(first)
    #expect(moved.beginMoving(from: first))
    #expect(!moved.beginMoving(from: first))
    #expect(moved.load() === first)
    #expect(!moved.replace(first, by: second))
    #expect(moved.endMoving(from: first, to: second))
    #expect(moved.load() === second)
    let retired = Holder(first)
    #expect(retired.beginMoving(from: first))
    #expect(retired.retirement(of: first) == .endedWhileMoving)
    #expect(!retired.endMoving(from: first, to: second))
    #expect(retired.load() == nil)
  }

  @Test("rules 6.3, 8.2: readers race with the end of the object: each gets a living object or none, and nothing leaks")
  func readRacesWithRetire() {
    let census = Tracked.Census()
    let found = Counter()
    let missed = Counter()
    // One reader runs with the retirer, one against it. In one round the first object is read before it is retired, and after that, for
    // certain.
    for round in 0..<20 {
      let all = (0..<500).map { _ in Owned(Tracked(census)) }
      let (isRead, isRetired) = (Gate(), Gate())
      if round > 0 {
        isRead.open()
        isRetired.open()
      }
      // Whatever was taken out is released by its reader. A release too many would take the census below 0.
      let read: @Sendable (Owned) -> Void = { ($0.holder.load() == nil ? missed : found).increment() }
      race([
        {
          for owned in all {
            for _ in 0..<4 { read(owned) }
            isRead.open()
          }
        },
        {
          for owned in all.reversed() {
            if owned === all[0] { isRetired.wait("end of the first object") }
            for _ in 0..<4 { read(owned) }
          }
        },
        {
          isRead.wait("first reading")
          for owned in all {
            defer { isRetired.open() }
            guard let object = owned.take() else { continue }
            let retired = owned.holder.retire(object)
            #expect(retired)
          }
        },
      ])
      #expect(census.living == 0)
      #expect(all.allSatisfy { $0.holder.isEmpty })
    }
    #expect(found.count > 0 && missed.count > 0)
  }

  @Test("rules 3.4, 8.2: of several threads that retire one reference exactly one wins, and nothing leaks")
  func retireRacesWithRetire() {
    let census = Tracked.Census()
    for _ in 0..<20 {
      let all = (0..<500).map { _ in Owned(Tracked(census)) }
      let won = Counter()
      let retire: @Sendable () -> Void = {
        for owned in all {
          guard let object = owned.holder.load(), owned.holder.retire(object) else { continue }
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
