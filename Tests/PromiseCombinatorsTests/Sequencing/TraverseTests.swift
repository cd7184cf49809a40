import PromiseCombinators
import TestSupport
import Testing

@Suite("traverse")
struct TraverseTests {
  let world = TestWorld()

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
}
