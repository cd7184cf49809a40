import PromiseContexts
import TestSupport
import Testing

@Suite("The pool's queue", .leavingNothing)
struct RingTests {
  /// Pushes and pops at random, with a head anywhere in the ring.
  @Test("row D13: what goes in comes out, first in, first out", arguments: 0..<16)
  func order(_ seed: Int) {
    var random = Seeded(UInt64(seed))
    var ring = Ring<Int>()
    var model: [Int] = []
    for number in 0..<2_000 {
      if model.count < 40, Bool.random(using: &random) {
        ring.append(number)
        model.append(number)
      } else {
        let expected = model.isEmpty ? nil : model.removeFirst()
        #expect(ring.popFirst() == expected)
      }
      #expect(ring.count == model.count && ring.isEmpty == model.isEmpty)
    }
  }

  @Test("An element can be taken out of any place, and the others keep their order", .feature("N4"), arguments: 0..<16)
  func removal(_ seed: Int) {
    var random = Seeded(UInt64(seed))
    var ring = Ring<Int>()
    var model: [Int] = []
    for number in 0..<2_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0...2 where model.count < 40:
        ring.append(number)
        model.append(number)
      case 3 where !model.isEmpty:
        let expected = model.removeFirst()
        #expect(ring.popFirst() == expected)
      case _ where !model.isEmpty:
        let offset = Int.random(in: 0..<model.count, using: &random)
        let expected = model.remove(at: offset)
        #expect(ring.remove(at: offset) == expected)
      default: break
      }
      #expect((0..<ring.count).map { ring[$0] } == model)
    }
  }

  @Test("row D13: a share moves in order, and no more than there is", arguments: [0, 1, 16, 39, 40, 100])
  func share(_ most: Int) {
    var waiting = Ring<Int>()
    var local = Ring<Int>()
    local.append(-1)
    for number in 0..<40 { waiting.append(number) }
    local.append(first: most, of: &waiting)
    var moved: [Int] = []
    while let number = local.popFirst() { moved.append(number) }
    #expect(moved == [-1] + (0..<min(most, 40)))
    #expect(waiting.popFirst() == (most < 40 ? most : nil))
  }

  @Test("row D13: what is given back comes first, in its order", arguments: [0, 1, 15, 16, 17, 40])
  func prepended(_ count: Int) {
    var waiting = Ring<Int>()
    var local = Ring<Int>()
    for number in 0..<count { local.append(number) }
    for number in count..<50 { waiting.append(number) }
    waiting.prepend(&local)
    #expect(local.isEmpty && waiting.count == 50)
    for number in 0..<50 { #expect(waiting.popFirst() == number) }
  }

  @Test("row D13: a queue that was long gives its room up once it is empty, and a short one keeps it")
  func room() {
    for (count, isGivenUp) in [(100, false), (5_000, true)] {
      var ring = Ring<Int>()
      for number in 0..<count { ring.append(number) }
      let whenFull = ring.giveUpRoom()
      #expect(whenFull == nil)
      while ring.popFirst() != nil {}
      let room = ring.giveUpRoom()
      #expect((room != nil) == isGivenUp)
      ring.append(7)
      #expect(ring.popFirst() == 7)
    }
  }

  @Test("rule 2.4: what was taken out is not kept")
  func released() {
    let census = Tracked.Census()
    var ring = Ring<Tracked>()
    for _ in 0..<20 { ring.append(Tracked(census)) }
    for living in (0..<20).reversed() {
      _ = ring.popFirst()
      #expect(census.living == living)
    }
  }
}
