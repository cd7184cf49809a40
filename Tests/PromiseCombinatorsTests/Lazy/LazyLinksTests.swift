import PromiseCombinators
import TestSupport
import Testing

@Suite("Links of a LazyPromise", .leavingNothing) struct LazyLinksTests {
  let world = TestWorld()

  @Test("Each link of a lazy promise handles values and errors as the link of a promise does")
  func links() {
    let (values, errors) = world.start {
      let main = world.main
      func links(_ lazy: LazyPromise<Int>) -> [Promise<Int>] {
        [
          lazy.map(on: main) { $0 + 1 }, lazy.then(on: main) { .fulfilled($0 + 2) }, lazy.recover(on: main) { _ in 3 },
          lazy.rescue(on: main) { _ in .fulfilled(4) },
          lazy.derive { $0.map(on: main) { $0 + 5 }.recover(on: main) { _ in 6 } },
        ].map(\.promise)
      }
      return (links(.run(on: main) { 10 }), links(.run(on: main) { throw TestError(1) }))
    }
    #expect(values.map(\.state.value) == [11, 12, 10, 10, 15])
    #expect(
      errors.map(\.state.value) == [nil, nil, 3, 4, 6] && errors[0].failure == .test(1) && errors[1].failure == .test(1)
    )
  }

  @Test(
    "A lazy promise is rejected, and not below, if the promise that `derive` has returned is cancelled", .rule("4.0"))
  func cancelledChain() {
    let source = Deferred<Int>()
    let derived = world.run { LazyPromise.run(on: world.main) { 0 }.derive { _ in source.promise } }
    let recovered = world.start { derived.promise.recover(on: world.main) { _ in 7 } }
    source.promise.cancel()
    world.runUntilIdle()
    #expect(recovered.state.value == 7)
  }

  @Test("Promises derived from one lazy promise share its work, and each has handlers of its own")
  func shared() {
    let log = Log<String>()
    let first = world.run { LazyPromise.run(on: world.main) { log.append("first", returning: 1) } }
    let others = world.run {
      (0..<3).map { number in
        first.map(on: world.main) { value in log.append("\(number)", returning: value + number) }
      }
    }
    others[2].start()
    world.runUntilIdle()
    #expect(log.entries == ["first", "2"] && first.isStarted && !others[0].isStarted)
    world.start { _ = others[0].promise }
    #expect(log.entries == ["first", "2", "0"] && others[0].promise.state.value == 1)
  }

  @Test("derive calls its closure once, when the promise starts, and not for a cancelled promise")
  func derive() {
    let log = Log<Int>()
    let first = world.run { LazyPromise.run(on: world.main) { 1 } }
    let derived = world.run { first.derive { log.append(1, returning: Promise.all([$0, $0])) } }
    let cancelled = world.run { first.derive { log.append(2, returning: $0) } }
    cancelled.cancel()
    #expect(log.entries.isEmpty)
    #expect(cancelled.promise.isCancelled)
    derived.start()
    #expect(log.entries == [1])
    _ = derived.promise
    world.runUntilIdle()
    #expect(log.entries == [1])
    #expect(derived.promise.state.value == [1, 1])
  }

  @Test("A finished chain keeps nothing, even if its last link is held", .rule("6.1", "6.3"))
  func lifetime() {
    let census = Tracked.Census()
    let last: LazyPromise<Int> = world.run {
      LazyPromise.run(on: world.main) { Tracked(census) }
        .map(on: world.main, to: Int.self) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) { 1 } }
        .derive { [tracked = Tracked(census)] promise in tracked.carrying(promise) }
        .then(on: world.main) { [tracked = Tracked(census)] _ in tracked.carrying(.fulfilled(0)) }
    }
    #expect(census.living == 3)
    last.start()
    world.runUntilIdle()
    #expect(last.promise.state.value == 0)
    #expect(census.living == 0)
  }

  @Test("Long chains pass on an error, are cancelled, and start from their middle in a loop", .rule("6.4"), .slow)
  func long() {
    let context = ManualContext()
    func chain(_ body: @escaping @Sendable () throws -> Int) -> (middle: LazyPromise<Int>, last: LazyPromise<Int>) {
      var last = LazyPromise.run(on: context, body)
      var middle = last
      for number in 0..<20_000 {
        last = last.map(on: context) { $0 + 1 }
        if number == 10_000 { middle = last }
      }
      return (middle, last)
    }
    do {
      let (_, failing) = chain { throw TestError(3) }
      let recovered = failing.recover(on: context) { _ in -1 }
      recovered.start()
      context.runUntilIdle()
      #expect(recovered.promise.state.value == -1)
      let (middle, last) = chain { 0 }
      middle.start()
      context.runUntilIdle(after: last.cancel())
      #expect(middle.promise.state.value == 10_001)
      #expect(last.isCancelled)
      let (other, third) = chain { 0 }
      third.start()
      other.cancel()
      #expect(third.isCancelled)
      let derived = (0..<20_000).reduce(LazyPromise.run(on: context) { 0 }) { lazy, _ in lazy.derive { $0 } }
      #expect(derived.start())
      context.runUntilIdle()
      #expect(derived.promise.state.value == 0)
    }
  }
}
