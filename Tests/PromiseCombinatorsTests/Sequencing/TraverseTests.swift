import PromiseCombinators
import TestSupport
import Testing

@Suite("traverse", .leavingNothing) struct TraverseTests {
  let world = TestWorld()
  private let context = ManualContext()

  @Test("traverse handles long sequences with any concurrency", .rule("3.3", "6.4"), .slow, arguments: [1, 10, 20_000])
  func long(_ concurrency: Int) {
    let all = Promise.traverse(0..<20_000, concurrency: concurrency, on: context) { Promise.fulfilled($0) }
    context.runUntilIdle()
    #expect(all.state.value?.count == 20_000)
    #expect(all.state.value?.last == 19_999)
  }

  @Test("traverse on the pool reads each element once and loses none", .rule("8.2"))
  func overlapping() async throws {
    let all = Promise.traverse(0..<5_000, concurrency: 8) { number in .run { number } }
    #expect(try await all.value == Array(0..<5_000))
  }

  @Test("traverse, forEach and repeat show no progress until they end", .rule("5.4"))
  func progress() {
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let begun = Locked(0)
    let results: [AnyPromise] = world.start {
      [
        Promise.traverse(0..<2, concurrency: 2) { owners[$0].promise }, Promise.forEach(0..<2) { owners[$0].promise },
        Promise.repeat {
          let number = begun.increment() - 1
          return number < 2 ? owners[number].promise : nil
        },
      ]
    }
    world.runUntilIdle(after: owners[0].fulfill(1))
    owners[1].report(progress: 0.5)
    #expect(begun.withLock(\.self) == 2)
    #expect(results.map(\.progress) == [0, 0, 0])
    world.runUntilIdle(after: owners[1].fulfill(1))
    #expect(results.map(\.progress) == [1, 1, 1])
  }

  @Test("traverse holds no lock when it makes a promise, so the creation may wait for the reading thread", .rule("6.5"))
  func heardUnlocked() {
    let reading = Gate()
    let goOn = Gate()
    let begun = Gate()
    let ended = Gate()
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
    #expect(all.state.value == [0, 1])
  }

  @Test("An error of a begun element ends the traversal while the next element is about to begin", .rule("4.8"))
  func errorBetween() {
    let begun = Log<Int>()
    let owners = (0..<4).map { _ in Deferred<Int>() }
    let all = world.start {
      Promise.traverse(0..<4, concurrency: 2, on: world.main) { number in
        begun.append(number, returning: owners[number].promise)
      }
    }
    owners[0].fulfill(0)
    world.runUntilIdle(after: owners[1].reject(TestError(1)))
    #expect(all.failure == .test(1))
    #expect(begun.entries == [0, 1])
  }

  @Test(
    "Only the first error of a traversal without clients is reported, and none of a cancelled one", .rule("6.1", "7.1"))
  func forgotten() {
    let reports = reported {
      let context = ManualContext()
      _ = Promise.traverse(0..<4, concurrency: 4, on: context) { Promise<Int>.rejected(TestError($0)) }
      Promise.traverse(5..<9, concurrency: 2, on: context) { Promise<Int>.rejected(TestError($0)) }.cancel()
      context.runUntilIdle()
    }
    #expect(reports == [0])
  }

  @Test("A long, pending traversal fails or is cancelled in a loop", .rule("6.4"), .slow, arguments: [false, true])
  func longPending(_ isCancelled: Bool) {
    let owners = (0..<5_000).map { _ in Deferred<Int>() }
    let all = Promise.traverse(owners, concurrency: .max, on: context) { $0.promise }
    context.runUntilIdle()
    if isCancelled { all.cancel() } else { owners[2_500].reject(TestError(1)) }
    #expect(all.isCancelled == isCancelled)
    #expect(owners.allSatisfy { !$0.promise.isPending })
  }

  @Test("A context that drops its jobs rejects the traversal, and the pending elements are cancelled", .rule("6.2"))
  func dropped() {
    let census = Tracked.Census()
    let owner = Deferred<Int>()
    let all = Promise.traverse(0..<4, concurrency: 2, on: context) { [tracked = Tracked(census)] number in
      withExtendedLifetime(tracked) { owner.promise }
    }
    context.step()
    context.dropAll()
    #expect(all.failure?.code == .contextDropped)
    #expect(context.runUntilIdle() == 0)
    #expect(census.living == 0)
    #expect(owner.promise.isCancelled)
  }
}
