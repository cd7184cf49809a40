import TestSupport
import Testing

@Suite("The circular buffer", .leavingNothing) struct CircularBufferTests {
  @Test("Elements leave the buffer in order, or from any place, and the others keep their order", arguments: 0..<16)
  func removal(_ seed: Int) {
    var random = Seeded(UInt64(seed))
    var buffer = CircularBuffer<Int>()
    var model: [Int] = []
    for number in 0..<2_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0...2 where model.count < 40:
        buffer.append(number)
        model.append(number)
      case 3 where !model.isEmpty:
        let expected = model.removeFirst()
        #expect(buffer.popFirst() == expected)
      case _ where !model.isEmpty:
        let offset = Int.random(in: 0..<model.count, using: &random)
        let expected = model.remove(at: offset)
        #expect(buffer.remove(at: offset) == expected)
      default: break
      }
      #expect((0..<buffer.count).map { buffer[$0] } == model)
      #expect(buffer.isEmpty == model.isEmpty)
    }
  }

  @Test(
    "A share of elements moves in order and never exceeds the available elements", arguments: [0, 1, 16, 39, 40, 100])
  func share(_ most: Int) {
    var waiting = CircularBuffer<Int>()
    var local = CircularBuffer<Int>()
    local.append(-1)
    for number in 0..<40 { waiting.append(number) }
    local.append(first: most, of: &waiting)
    var moved: [Int] = []
    while let number = local.popFirst() { moved.append(number) }
    #expect(moved == [-1] + (0..<min(most, 40)))
    #expect(waiting.popFirst() == (most < 40 ? most : nil))
  }

  @Test("Returned elements come first and keep their order", arguments: [0, 1, 15, 16, 17, 40])
  func prepended(_ count: Int) {
    var waiting = CircularBuffer<Int>()
    var local = CircularBuffer<Int>()
    for number in 0..<count { local.append(number) }
    for number in count..<50 { waiting.append(number) }
    waiting.prepend(&local)
    #expect(local.isEmpty)
    #expect(waiting.count == 50)
    for number in 0..<50 { #expect(waiting.popFirst() == number) }
  }

  @Test("A buffer that was long gives up its storage once it is empty, and a short buffer keeps it")
  func room() {
    for (count, isGivenUp) in [(100, false), (5_000, true)] {
      var buffer = CircularBuffer<Int>()
      for number in 0..<count { buffer.append(number) }
      let whenFull = buffer.takeExcessStorage()
      #expect(whenFull == nil)
      while buffer.popFirst() != nil {}
      let room = buffer.takeExcessStorage()
      #expect((room != nil) == isGivenUp)
      buffer.append(7)
      #expect(buffer.popFirst() == 7)
    }
  }

  @Test("The buffer does not retain an element that was removed", .rule("2.4"))
  func released() {
    let census = Tracked.Census()
    var buffer = CircularBuffer<Tracked>()
    for _ in 0..<20 { buffer.append(Tracked(census)) }
    for living in (0..<20).reversed() {
      _ = buffer.popFirst()
      #expect(census.living == living)
    }
  }
}
