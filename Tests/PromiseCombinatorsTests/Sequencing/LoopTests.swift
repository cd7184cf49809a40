import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

/// A loop of any kind, for as many numbers as one likes.
struct Loop: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable (Int) throws -> Promise<Int>

  let testDescription: String
  let start: @Sendable (Int, any ExecutionContext, @escaping Body) -> AnyPromise

  static let all = [
    Loop(testDescription: "forEach") { Promise.forEach(0..<$0, on: $1, $2) },
    Loop(testDescription: "repeat") { count, context, body in
      let next = Locked(0)
      return Promise.repeat(on: context) {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        return number < count ? try body(number) : nil
      }
    },
    Loop(testDescription: "reduce") { count, context, body in
      Promise.fulfilled(0).reduce(0..<count, on: context) { _, number in try body(number) }
    },
    Loop(testDescription: "chain") { count, context, body in
      Promise.chain(0, (0..<count).map { number in { _ in try body(number) } }, on: context)
    },
    Loop(testDescription: "traverse") { Promise.traverse(0..<$0, concurrency: 1, on: $1, $2) },
  ]
}

extension AnyPromise {
  /// What became of a loop, without its value.
  fileprivate var end: Promise<Void> {
    (self as? Promise<Void>) ?? (self as? Promise<Int>)?.asVoid() ?? (self as? Promise<[Int]>)?.asVoid()
      ?? .rejected("a type that the test does not know")
  }
}

@Suite("Loops", .leavingNothing)
struct LoopTests {
  let world = TestWorld()

  @Test("rows E8 E9 D18 D19: one after another, none in the call; of nothing it is done", arguments: Loop.all)
  func order(_ loop: Loop) {
    let begun = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let (none, all) = world.run {
      (
        loop.start(0, world.main) { _ in .rejected(TestError()) },
        loop.start(3, world.main) { number in
          begun.append(number)
          return owners[number].promise
        }
      )
    }
    #expect(begun.entries.isEmpty)
    for number in 0..<3 {
      world.runUntilIdle()
      #expect(begun.entries == Array(0...number) && all.isPending)
      owners[number].fulfill(0)
    }
    world.runUntilIdle()
    #expect(all.isFulfilled && none.isFulfilled && begun.entries == [0, 1, 2])
  }

  @Test(
    "rows E8 E9 D18 D19: the first error ends it, thrown or not, and an owner that goes does", arguments: Loop.all,
    0..<4)
  func failure(_ loop: Loop, _ kind: Int) {
    let begun = Log<Int>()
    let all = world.run {
      loop.start(5, world.main) { number in
        begun.append(number)
        guard number == 2 else { return .fulfilled(number) }
        switch kind {
        case 0: throw TestError(2)
        case 1: return .rejected(TestError(2))
        case 2: throw CancellationError()
        default: return Promise { _ in }
        }
      }
    }
    world.runUntilIdle()
    #expect(begun.entries == [0, 1, 2] && all.isRejected && all.isCancelled == (kind == 2))
    switch all.end.ownError {
    case .broken?: #expect(kind == 3)
    default: #expect(kind == 2 || all.end.errorNumber == 2)
    }
  }

  @Test(
    "rule 4.8: cancelled or abandoned at any time, nothing more is begun, what is pending is cancelled, and all is let go",
    arguments: Loop.all, [false, true])
  func cancelled(_ loop: Loop, _ abandons: Bool) {
    for steps in 0..<5 {
      let census = Tracked.Census()
      let begun = Log<Int>()
      let owners = (0..<9).map { _ in Deferred<Int>() }
      let context = ManualContext()
      let all = loop.start(9, context) { [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { begun.append(number) }
        return number < 2 ? .fulfilled(number) : owners[number].promise
      }
      for _ in 0..<steps { _ = context.step() }
      let before = begun.entries
      if abandons { all.abandon() } else { all.cancel() }
      #expect(all.isCancelled)
      #expect(begun.entries.filter { $0 > 1 }.allSatisfy { owners[$0].promise.isCancelled })
      context.runUntilIdle()
      #expect(begun.entries == before && census.living == 0)
    }
  }

  @Test("rule 4.8: what somebody else wants is not cancelled with the loop", arguments: Loop.all)
  func wanted(_ loop: Loop) {
    let owner = Deferred<Int>()
    let other = world.run { owner.promise.map(on: world.main) { $0 } }
    let all = world.run { loop.start(2, world.main) { _ in owner.promise } }
    world.runUntilIdle()
    all.abandon()
    #expect(all.isCancelled && owner.promise.isPending && other.isPending)
  }

  @Test("rule 6.2: a context that drops its jobs ends it, and nothing is kept", arguments: Loop.all, [0, 1, 2])
  func dropped(_ loop: Loop, _ steps: Int) {
    let census = Tracked.Census()
    let context = ManualContext()
    let all = loop.start(9, context) { [tracked = Tracked(census)] number in
      withExtendedLifetime(tracked) { .fulfilled(number) }
    }
    for _ in 0..<steps { _ = context.step() }
    context.dropAll()
    #expect(context.runUntilIdle() == 0 && census.living == 0)
    if case .contextDropped? = all.end.ownError {} else { Issue.record("\(all.debugDescription)") }
  }

  @Test("rules 6.1 7.1: one that nobody holds goes to its end, and its error is reported once", arguments: Loop.all)
  func forgotten(_ loop: Loop) {
    let begun = Log<Int>()
    let reports = reported {
      let context = ManualContext()
      _ = loop.start(3, context) { number in
        begun.append(number)
        return number == 2 ? .rejected(TestError(2)) : .fulfilled(number)
      }
      _ = loop.start(3, context) { .rejected(TestError($0 + 5)) }.end.recover(on: context) { _ in }
      loop.start(3, context) { .rejected(TestError($0 + 8)) }.abandon()
      context.runUntilIdle()
    }
    #expect(begun.entries == [0, 1, 2] && reports == [2])
  }

  @Test(
    "rules 3.3 6.4: five thousand steps are a loop, settled or on the way, and so is the error of the last",
    arguments: Loop.all, 0..<2)
  func long(_ loop: Loop, _ kind: Int) {
    let context = ManualContext()
    let census = Tracked.Census()
    let waiting = Locked<Deferred<Int>?>(nil)
    do {
      let all = loop.start(5_000, context) { [tracked = Tracked(census)] number in
        defer { withExtendedLifetime(tracked) {} }
        if number == 4_999 { throw TestError(3) }
        guard kind != 0 else { return .fulfilled(number) }
        let owner = Deferred<Int>()
        waiting.withLock { $0 = owner }
        return owner.promise
      }
      context.runUntilIdle()
      while let owner = waiting.withLock({ waiting in
        defer { waiting = nil }
        return waiting
      }) {
        owner.fulfill(1)
        context.runUntilIdle()
      }
      #expect(all.end.errorNumber == 3)
    }
    #expect(census.living == 0)
  }

  @Test("rule 4.9: a loop keeps nothing of the steps that are done", arguments: Loop.all.prefix(2))
  func steps(_ loop: Loop) {
    let census = Tracked.Census()
    let context = ManualContext()
    let all = loop.start(100, context) { number in
      .run(on: context) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { number } }
    }
    context.runUntilIdle()
    #expect(all.isFulfilled && census.living == 0 && census.peak <= 4)
  }

  @Test(
    "row N4: in any order, whoever gives up whenever: one step at a time, in order, and nothing is left",
    arguments: Loop.all)
  func everyOrder(_ loop: Loop) throws {
    let ends = Log<Bool>()
    _ = try TestWorld.explore(schedules: 100, seed: 31) { world in
      let census = Tracked.Census()
      do {
        let log = Log<Int>()
        let all = loop.start(3, world.pool) { [tracked = Tracked(census)] number in
          log.append(number)
          let owner = Deferred<Int>()
          world.sometime("done \(number)") { withExtendedLifetime(tracked) { _ = owner.fulfill(number) } }
          return owner.promise
        }
        world.sometime("gives up") { all.abandon() }
        world.runUntilIdle()
        world.expect(log.entries == Array(0..<log.entries.count))
        world.expect(all.isCancelled || all.isFulfilled && log.entries.count == 3)
        ends.append(all.isCancelled)
      }
      world.expect(census.living == 0)
    }
    #expect(Set(ends.entries) == [false, true])
  }
}

@Suite("What is special about each loop", .leavingNothing)
struct SpecialLoopTests {
  let world = TestWorld()

  @Test("row E8: an endless sequence, of what is not Sendable, is read no further than the first error, and let go")
  func endless() {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let all = world.run {
      Promise.forEach(Once(.max, asked, Tracked(census)), on: world.main) { number in
        if number == 1_000 { throw TestError(1) }
        return Promise.after(.seconds(1), fulfill: number)
      }
    }
    world.advance(by: .seconds(999))
    #expect(all.isPending && asked.entries == Array(0..<1_000))
    world.advance(by: .seconds(1))
    #expect(all.errorNumber == 1 && asked.entries == Array(0...1_000) && census.living == 0 && world.armed == 0)
  }

  @Test("row E9, rule 1.4: a step without a value is a step; none at all is the end")
  func optionalSteps() {
    let count = Locked(0)
    let all = world.run {
      Promise.repeat(on: world.main) { () -> Promise<Int?>? in
        let number = count.increment()
        return number > 5 ? nil : .fulfilled(nil)
      }
    }
    world.runUntilIdle()
    #expect(all.isFulfilled && count.withLock { $0 } == 6)
  }

  @Test(
    "row D19: reduce waits for its promise, reads nothing before, and passes its error, with its mark", arguments: 0..<3
  )
  func reduceSource(_ kind: Int) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let source = Deferred<[Int]>()
    let reduced = world.run {
      source.promise.reduce(Once(3, asked, Tracked(census)), on: world.main) { values, number in
        .fulfilled(values + [number])
      }
    }
    world.runUntilIdle()
    #expect(asked.entries.isEmpty)
    switch kind {
    case 0: source.fulfill([9])
    case 1: source.reject(TestError(1))
    default: source.promise.cancel(reason: TestError(2))
    }
    world.runUntilIdle()
    #expect(reduced.values == (kind == 0 ? [9, 0, 1, 2] : nil) && reduced.isCancelled == (kind == 2))
    #expect(reduced.errorNumber == (kind == 0 ? nil : kind) && asked.entries.isEmpty == (kind > 0))
    #expect(census.living == 0)
  }

  @Test("row D19, rules 4.2 4.6: cancelled, reduce leaves its promise alone; abandoned, it cancels it")
  func reduceCancelled() {
    let source = Deferred<Int>()
    let both = world.run {
      (0..<2).map { _ in source.promise.reduce(0..<2, on: world.main) { $0 + $1 == 0 ? .fulfilled(0) : .fulfilled(1) } }
    }
    both[0].cancel()
    #expect(both[0].isCancelled && source.promise.isPending)
    both[1].abandon()
    #expect(source.promise.isCancelled)
  }

  @Test("row D19, rule 1.4: what is reduced may be optional, and come to nothing on the way")
  func reduceOptional() {
    let result = world.run {
      Promise<Int?>.fulfilled(nil).reduce([1, nil, 3, nil] as [Int?]) { _, element in .fulfilled(element) }
    }
    world.runUntilIdle()
    #expect(result.values == .some(.none))
  }

  @Test("row J5: three links of a chain are a third each; an error leaves the progress where it was (rule 5.2)")
  func chainProgress() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let chain = world.run { Promise.chain(0, owners.map { owner in { _ in owner.promise } }, on: world.main) }
    #expect(chain.progress == 0)
    for number in 0..<3 {
      world.runUntilIdle()
      owners[number].report(progress: 0.5)
      #expect(abs(chain.progress - (Double(number) + 0.5) / 3) < 1e-9)
      if number < 2 { owners[number].fulfill(number) } else { owners[number].reject(TestError(1)) }
    }
    #expect(abs(chain.progress - 2.5 / 3) < 1e-9 && chain.errorNumber == 1)
  }

  @Test("row D18: every function gets the value of the one before, the first the initial one, each on the context")
  func chainValues() {
    let context = ManualContext()
    let seen = Log<Int?>()
    let result = Promise<Int?>.chain(
      nil,
      (0..<4).map { number in
        { value in
          seen.append(value)
          return .fulfilled(number.isMultiple(of: 2) ? number : nil)
        }
      }, on: context)
    #expect(seen.entries.isEmpty)
    #expect(context.runUntilIdle() >= 4)
    #expect(seen.entries == [nil, 0, nil, 2] && result.values == .some(.none))
  }
}
