import PromiseContexts
import TestSupport
import Testing

@Suite("The pool's queue")
struct RingTests {
  /// Every way to mix pushes and pops that keeps the count below 40, with a head anywhere in the ring.
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
