import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("traverse")
struct TraverseTests {
  let world = TestWorld()

  @Test("traverse reads an element when it has a place for it, and gives the values in the order of the elements")
  func bounded() {
    let log = Log<String>()
    let owners = (0..<5).map { _ in Deferred<Int>() }
    let all = world.run {
      let elements = (0..<5).lazy.map { element in
        log.append("ask \(element)")
        return element
      }
      return Promise.traverse(elements, concurrency: 2) { element in
        log.append("do \(element)")
        return owners[element].promise
      }
    }
    world.runUntilIdle()
    #expect(log.entries == ["ask 0", "do 0", "ask 1", "do 1"])
    for number in [1, 0, 3, 2, 4] {
      owners[number].fulfill(number * 10)
      world.runUntilIdle()
    }
    #expect(log.entries == (0..<5).flatMap { ["ask \($0)", "do \($0)"] })
    #expect(all.values == [0, 10, 20, 30, 40])
  }

  @Test(
    "traverse accepts an empty sequence, and any concurrency, even below 1 or above the number of elements",
    arguments: [-1, 0, 1, 3, 1_000, Int.max])
  func edges(_ concurrency: Int) {
    let (none, three) = world.run {
      (
        Promise.traverse([Int](), concurrency: concurrency) { Promise.fulfilled($0) },
        Promise.traverse(0..<3, concurrency: concurrency) { Promise.fulfilled($0) }
      )
    }
    world.runUntilIdle()
    #expect(none.values == [] && three.values == [0, 1, 2])
  }

  @Test(
    "After the first error, traverse begins no element and cancels pending elements that no other consumer wants",
    .rule("4.8"),
    arguments: [false, true])
  func failure(_ throwing: Bool) {
    let log = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let wanted = owners[1].promise.map(on: world.main) { $0 }
    let all = world.run {
      Promise.traverse(0..<9, concurrency: 4) { number in
        log.append(number)
        if number < 3 { return owners[number].promise }
        if throwing { throw TestError(3) }
        return Promise<Int>.rejected(TestError(3))
      }
    }
    world.runUntilIdle()
    #expect(all.errorNumber == 3 && log.entries == [0, 1, 2, 3])
    #expect(owners.map(\.promise.isCancelled) == [true, false, true] && wanted.isPending)
    owners[1].fulfill(1)
    world.runUntilIdle()
    #expect(log.entries == [0, 1, 2, 3])
  }

  @Test("A cancelled traverse ends and cancels its pending elements", .rule("4.8"))
  func cancelled() {
    let log = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let all = world.run {
      Promise.traverse(0..<3, concurrency: 2) { number in
        log.append(number)
        return owners[number].promise
      }
    }
    world.runUntilIdle()
    all.cancel()
    #expect(all.isCancelled && owners.map(\.promise.isCancelled) == [true, true, false])
    world.runUntilIdle()
    #expect(log.entries == [0, 1])
  }

  @Test(
    "traverse handles a long sequence with low and high concurrency", .rule("3.3", "6.4"), .slow,
    arguments: [1, 10, 20_000])
  func long(_ concurrency: Int) {
    let context = ManualContext()
    let all = Promise.traverse(0..<20_000, concurrency: concurrency, on: context) { Promise.fulfilled($0) }
    context.runUntilIdle()
    #expect(all.values?.count == 20_000 && all.values?.last == 19_999)
  }

  @Test("traverse on the pool reads each element once and loses none", .rule("8.2"))
  func overlapping() async throws {
    let all = Promise.traverse(0..<5_000, concurrency: 8) { number in .run { number } }
    #expect(try await all.value == Array(0..<5_000))
  }

  @Test(
    "traverse and forEach show no progress until they end, and retry shows the progress of its attempt", .rule("5.4"))
  func progress() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let (traverse, forEach, retry) = world.run {
      (
        Promise.traverse(0..<2, concurrency: 2) { owners[$0].promise }, Promise.forEach(0..<2) { owners[$0].promise },
        Promise.retry(attempts: 2) { owners[2].promise }
      )
    }
    #expect([traverse.progress, forEach.progress, retry.progress] == [0, 0, 0])
    world.runUntilIdle()
    owners[0].fulfill(1)
    owners[1].report(progress: 0.5)
    owners[2].report(progress: 0.25)
    world.runUntilIdle()
    #expect([traverse.progress, forEach.progress, retry.progress] == [0, 0, 0.25])
    owners[1].fulfill(1)
    world.runUntilIdle()
    #expect([traverse.progress, forEach.progress] == [1, 1])
  }

  @Test(
    "traverse holds no lock when it makes a promise, so the creation may wait for the thread that reads", .rule("6.5"))
  func heardUnlocked() {
    let (reading, goOn, begun, ended) = (Gate(), Gate(), Gate(), Gate())
    let isCurious = Locked(false)
    let world = CuriousWorld { _ in
      let isAsked = isCurious.withLock { isCurious in
        defer { isCurious = false }
        return isCurious
      }
      guard isAsked else { return }
      goOn.open()
      begun.wait("closure for the second element")
    }
    let scope = DiagnosticsScope(unhandledRejection: { _ in }, secondSettlement: { _ in })
    scope.setTestEnvironment(world)
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let all = scope.bind {
      let elements = (0..<2).lazy.map { element in
        if element == 1 {
          reading.open()
          goOn.wait("hearing")
        }
        return element
      }
      return Promise.traverse(elements, concurrency: 2) { element in
        if element == 1 { begun.open() }
        return owners[element].promise
      }
    }
    reading.wait("second element")
    isCurious.withLock { $0 = true }
    owners[0].fulfill(0)
    begun.wait("closure for the second element")
    owners[1].fulfill(1)
    all.onSettled { _ in ended.open() }
    ended.wait("end")
    #expect(all.values == [0, 1])
  }

  @Test("chain shows the sum of the progress of its links")
  func chainProgress() {
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let chain = world.run { Promise.chain(0, [{ _ in owners[0].promise }, { _ in owners[1].promise }]) }
    world.runUntilIdle()
    owners[0].report(progress: 0.5)
    #expect(chain.progress == 0.25)
    owners[0].fulfill(1)
    world.runUntilIdle()
    owners[1].report(progress: 0.5)
    #expect(chain.progress == 0.75)
  }
}
