import TestSupport
import Testing

extension Stress {
  @Suite("Races: attaching handlers")
  struct AttachRaceTests {
    /// Attaches handlers of different kinds that log the number of the attacher and their own number.
    private static func attach(_ attacher: Int, to promise: Promise<Int>, on context: ManualContext, _ log: Log<[Int]>)
    {
      promise.onFulfilled(on: context) { _ in log.append([attacher, 0]) }
      promise.tap(on: context) { _ in log.append([attacher, 1]) }
      promise.recover(on: context) { _ in 0 }.onSettled(on: context) { _ in log.append([attacher + 10, 0]) }
      promise.always(on: context) { _ in log.append([attacher, 2]) }
      promise.onSettled(on: context) { _ in log.append([attacher, 3]) }
    }

    /// Checks that the handlers of each attacher ran once and in order. A handler behind a link may run at any
    /// position.
    private static func check(_ log: Log<[Int]>, attachers: Int) throws {
      for attacher in 0..<attachers {
        try #require(log.entries.filter { $0[0] == attacher }.map { $0[1] } == [0, 1, 2, 3])
        try #require(log.entries.filter { $0[0] == attacher + 10 }.count == 1)
      }
      try #require(log.entries.count == attachers * 5)
    }

    @Test(
      "Handlers attached by two threads while a third settles run once, in the order of each thread",
      .rule("2.1", "2.2"), arguments: [false, true])
    func attachAttachSettle(grouping: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext(isGrouping: grouping)
        let log = Log<[Int]>()
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        let order = Answer<Bool>()
        return Duel([
          {
            Self.attach(0, to: promise, on: context, log)
            order(promise.isPending)
          },
          { Self.attach(1, to: promise, on: context, log) },
          { deferred.fulfill(1) },
        ]) {
          context.runUntilIdle()
          try Self.check(log, attachers: 2)
          return order.value
        }
      }
    }

    /// Returns a promise, and the call by which it adopts another promise.
    private static func adopter(
      of inner: Promise<Int>, byThen: Bool, on context: ManualContext
    ) -> (Promise<Int>, adopt: @Sendable () -> Void) {
      if byThen {
        let outer = Promise.fulfilled(1).then(on: context) { _ in inner }
        let job = context.takeFirst()
        return (outer, { job?.run() })
      }
      let owner = Deferred<Int>()
      return (owner.promise, { owner.follow(inner) })
    }

    @Test(
      "Handlers attached while the promise adopts another promise run once and in order", .rule("2.2", "2.6"),
      arguments: [false, true])
    func attachAndAdopt(byThen: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<[Int]>()
        let inner = Deferred<Int>()
        let (outer, adopt) = Self.adopter(of: inner.promise, byThen: byThen, on: context)
        Self.attach(0, to: outer, on: context, log)
        let adopted = Answer<Bool>()
        return Duel {
          adopt()
          adopted(true)
        } second: {
          Self.attach(1, to: outer, on: context, log)
          return adopted.value == true
        } results: { _, cameLate in
          Self.attach(2, to: outer, on: context, log)
          inner.fulfill(1)
          context.runUntilIdle()
          try Self.check(log, attachers: 3)
          let entries = log.entries.filter { $0[0] < 10 }
          try #require(Array(entries.prefix(4)) == (0..<4).map { [0, $0] })
          try #require(Array(entries.suffix(4)) == (0..<4).map { [2, $0] })
          return cameLate
        }
      }
    }

    @Test(
      "A promise that settles while it is adopted settles its adopter", .rule("2.6", "3.1"), arguments: [false, true])
    func settleAndAdopt(byThen: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<[Int]>()
        let inner = Deferred<Int>()
        let (outer, adopt) = Self.adopter(of: inner.promise, byThen: byThen, on: context)
        Self.attach(0, to: outer, on: context, log)
        return Duel {
          adopt()
          return inner.promise.isPending
        } second: {
          inner.fulfill(1)
        } results: { wasPending, _ in
          try #require(outer.state.value == 1)
          context.runUntilIdle()
          try Self.check(log, attachers: 1)
          return wasPending
        }
      }
    }

    @Test("A promise can be inspected from another thread while it adopts and settles", .rule("6.3", "8.1"))
    func lookAndAdopt() throws {
      try Duel.repeated { round in
        let context = ManualContext()
        let inner = Deferred<Int>()
        let start = Promise.fulfilled(1)
        let innerPromise = inner.promise.map(on: context) { $0 }
        let outer = start.then(on: context) { _ in innerPromise }
        let end = outer.always(on: context) { _ in }
        return Duel {
          context.step()
          inner.fulfill(1)
          context.runUntilIdle()
        } second: {
          spin(round % 500)
          // Every eighth round looks only after `outer` has settled, however slow the other thread is.
          while round.isMultiple(of: 8), outer.isPending {}
          let sawPending = outer.isPending
          _ = (end.parent, end.root, outer.parent, outer.root, innerPromise.root)
          return (sawPending: sawPending, isRight: !outer.isRejected && (outer.isPending || outer.state.value == 1))
        } results: { _, look in
          try #require(outer.state.value == 1 && end.state.value == 1 && look.isRight)
          return !look.sawPending
        }
      }
    }
  }
}
