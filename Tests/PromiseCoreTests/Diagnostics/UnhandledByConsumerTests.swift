import TestSupport
import Testing

/// Tests which promise has the duty to handle a rejection (rule 7.1) if consumers are cancelled, adopt a promise or
/// close a ring.
@Suite("Unhandled rejections: consumers that leave or adopt", .rule("7.1")) struct UnhandledByConsumerTests {
  private let context = ManualContext()

  @Test(
    "A link that is cancelled after its source was rejected takes the duty, whether or not its handler runs",
    arguments: [LinkKind.recover, .rescue, .mapError, .always])
  func cancelledAfterRejection(_ kind: LinkKind) {
    expectUnhandled([]) {
      let owner = Deferred<Int>(line: 1)
      let end = kind.attach(to: owner.promise.map(on: context, line: 2) { $0 }, on: context, giving: 1) {}
      owner.reject(TestError(1))
      end.cancel(upstream: true)
      context.runUntilIdle()
      #expect(end.isCancelled)
    }
  }

  /// Makes a ring of promises that follow each other.
  private func ring(of size: Int) -> [Deferred<Int>] {
    let owners = (1...size).map { Deferred<Int>(line: UInt($0)) }
    for (index, owner) in owners.enumerated() { owner.follow(owners[(index + 1) % size].promise) }
    return owners
  }

  @Test("The promises of a ring report its error once", .rule("3.2"), arguments: [1, 2, 5])
  func ring(size: Int) {
    #expect(Reports.unhandled { _ = ring(of: size) }.map(\.error) == ["cycle"])
  }

  @Test("A link below a ring that is handled keeps its own duty", .rule("3.2"))
  func belowRing() {
    expectUnhandled([Unhandled("cycle", line: 12)]) {
      let owners = ring(of: 2)
      owners[0].promise.catch(on: context) { _ in }
      _ = owners[1].promise.map(on: context, line: 11) { $0 }.map(on: context, line: 12) { $0 }
      context.runUntilIdle()
    }
  }

  @Test("A ring through a promise that a handler returned reports nothing if its error was handled", .rule("3.2"))
  func handledRingOfAdopter() {
    expectUnhandled([]) {
      let owner = Deferred<Int>(line: 1)
      let adopter = Promise.fulfilled(1).then(on: context, line: 2) { [promise = owner.promise] _ in promise }
      adopter.onSettled(on: context) { _ in }
      owner.follow(adopter)
      context.runUntilIdle()
      #expect(adopter.isRejected)
    }
  }

  @Test("A ring reports nothing if the error of any of its promises was handled", .rule("3.2"), arguments: [2, 5])
  func handledRing(size: Int) {
    for handled in 0..<size {
      expectUnhandled([], "handled: \(handled)") {
        let owners = ring(of: size)
        owners[handled].promise.catch(on: context) { _ in }
        context.runUntilIdle()
      }
    }
  }

  @Test(
    "A consumer that has left does not handle the rejection of its source, except catch",
    arguments: [Consumer.link, .tap, .catch, .recover, .follower, .adopter, .waiter, .shield])
  func left(_ consumer: Consumer) {
    let executor = ManualExecutor()
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      // Keeps the promise pending, and handles no rejection.
      deferred.promise.onFulfilled(on: context) { _ in }
      let kept = consumer.attach(to: deferred.promise, on: context, awaiting: executor)
      kept.promise?.cancel()
      kept.task?.cancel()
      executor.runUntilIdle()
      #expect(deferred.reject(TestError(1)))
      context.runUntilIdle()
    }
    // `tap` and `catch` stay attached although their promises were cancelled. `tap` hands the duty to handle the
    // rejection to its promise, which no consumer reads. `catch` handles it.
    #expect(reports.map(\.error) == (consumer == .catch ? [] : ["1"]))
  }

  @Test("A losing followed promise keeps its duty even if the call that settles the follower rejects it", .rule("3.4"))
  func followedSecondAtOnce() {
    expectUnhandled([Unhandled("contextDropped", line: 2)]) {
      let first = Deferred<Int>()
      let deferred = Deferred<Int>()
      deferred.follow(first.promise)
      deferred.follow(first.promise.recover(on: DroppingContext(), line: 2) { _ in 1 })
      first.reject(CancellationError())
      #expect(deferred.promise.isCancelled)
    }
  }

  @Test("A rejected promise that a handler returns to a promise cancelled meanwhile is not reported", .rule("4.4"))
  func returnedAfterCancel() {
    expectUnhandled([]) {
      let derived = Locked<Promise<Int>?>(nil)
      let promise = Promise.fulfilled(0).then(on: context) { _ in
        derived.withLock { $0 }?.cancel()
        return Promise<Int>.rejected(TestError(1))
      }
      derived.withLock { $0 = promise }
      context.runUntilIdle()
      #expect(promise.isCancelled)
      withExtendedLifetime(derived.withLock { $0.take() }) {}
    }
  }

  @Test("A loop that ends in an error reports it once, at the outer promise", .rule("3.3"), arguments: [false, true])
  func collapsed(isPending: Bool) {
    expectUnhandled(isPending ? [Unhandled(1, line: 3)] : [Unhandled(1, line: 3), Unhandled(1, line: 1)]) {
      let last = Deferred<Int>(line: 1)
      @Sendable func step(_ count: Int) -> Promise<Int> {
        if count == 0 { return isPending ? last.promise : .rejected(TestError(1), line: 1) }
        return Promise.fulfilled(count).then(on: context, line: 2) { step($0 - 1) }
      }
      _ = Promise.fulfilled(0).then(on: context, line: 3) { _ in step(100) }
      context.runUntilIdle()
      last.reject(TestError(1))
    }
  }

  /// The ways in which a `then` returns a promise below itself.
  enum Return: CaseIterable {
    case itself, link, chain

    func below(_ promise: Promise<Int>, on context: ManualContext) -> Promise<Int> {
      switch self {
      case .itself: promise
      case .link: promise.map(on: context, line: 3) { $0 }
      case .chain: promise.asVoid().tap(on: context) { _ in }.map(on: context, line: 3) { 1 }
      }
    }
  }

  /// Makes a `then` that returns a promise below itself, and runs it.
  private func thenRing(_ returned: Return, _ attach: (Promise<Int>) -> Void = { _ in }) {
    let start = Deferred<Int>(line: 1)
    let box = Locked<[Promise<Int>]>([])
    let promise = start.promise.then(on: context, line: 2) { [context] _ in
      returned.below(box.withLock { $0.removeLast() }, on: context)
    }
    box.withLock { $0.append(promise) }
    attach(promise)
    start.fulfill(1)
    context.runUntilIdle()
    #expect(promise.isRejected)
  }

  @Test("A then that returns a promise below itself is reported once", .rule("3.2"), arguments: Return.allCases)
  func thenRing(returned: Return) {
    #expect(Reports.unhandled { thenRing(returned) }.map(\.error) == ["cycle"])
  }

  @Test("A ring of a then reports nothing if its error was handled", .rule("3.2"), arguments: Return.allCases)
  func handledThenRing(returned: Return) {
    expectUnhandled([]) { thenRing(returned) { $0.catch(on: context) { _ in } } }
    expectUnhandled([]) { thenRing(returned) { $0.map(on: context) { $0 }.catch(on: context) { _ in } } }
    expectUnhandled([]) { thenRing(returned) { $0.always(on: context) { _ in }.onRejected(on: context) { _ in } } }
    expectUnhandled([]) {
      thenRing(returned) { promise in
        let follower = Deferred<Int>()
        follower.follow(promise)
        follower.promise.catch(on: context) { _ in }
      }
    }
  }

  @Test("A link outside a ring that is cancelled takes the duty of the ring", .rule("3.2"), arguments: Return.allCases)
  func cancelledOutsideRing(returned: Return) {
    expectUnhandled([]) {
      var link: Promise<Int>?
      let later = ManualContext()
      thenRing(returned) { link = $0.recover(on: later) { _ in 0 } }
      link?.cancel()
      later.runUntilIdle()
      #expect(link?.isCancelled == true)
    }
  }

  @Test("A link outside a ring reports its error alone", .rule("3.2"), arguments: Return.allCases)
  func linkOutsideRing(returned: Return) {
    expectUnhandled([Unhandled("cycle", line: 9)]) {
      thenRing(returned) { _ = $0.map(on: context, line: 9) { $0 } }
    }
  }

  @Test("Two rings that share a promise are reported once", .rule("7.1", "3.2"))
  func joinedRings() {
    let reports = Reports.unhandled {
      let first = Deferred<Int>()
      let second = Deferred<Int>()
      // Closes the second ring before the error of the first one has reached the promise that both share.
      let end = AtEnd { [context] in second.follow(second.promise.map(on: context) { $0 }) }
      first.promise.onFulfilled(on: context) { [end = consume end] _ in withExtendedLifetime(end) {} }
      second.follow(first.promise)
      first.follow(second.promise)
    }
    #expect(reports.map(\.error) == ["cycle"])
  }
}
