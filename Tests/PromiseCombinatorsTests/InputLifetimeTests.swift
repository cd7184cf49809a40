import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

/// A combination and its result retain each other until the combination has ended, however it ends.
@Suite("Lifetime of combinations") struct InputLifetimeTests {
  /// The ways to settle the result. In most of them inputs can still settle later.
  enum Ending: CaseIterable {
    case cancel, giveUp, inputs, rejections, oneCancelled, cancelThenInputs, inputThenCancel, ring, timeOut
  }

  /// A reason that retains the owner of a promise.
  private struct OwningReason: Error {
    let owner: Deferred<Int>
    let tracked: Tracked
  }

  /// Tests that a loop settles the inputs. A recursion would overflow the stack, because it needs 3 kB for each input.
  @Test("Inputs whose lists of consumers are pruned in succession are settled in a loop", .rule("4.9", "6.4"), .slow)
  func pruningInALoop() {
    let census = Tracked.Census()
    let first = Deferred<Int>()
    var last = first.promise
    Diagnostics.scoped(unhandledRejection: Log<UnhandledRejection>().append) {
      for _ in 0..<5_000 {
        let owner = Deferred<Int>()
        let promise = owner.promise
        let reason = OwningReason(owner: consume owner, tracked: Tracked(census))
        // The promise prunes its list at the sixteenth dead link. The race adds that link when it leaves the promise.
        for _ in 0..<15 { promise.map(on: ManualContext()) { $0 }.cancel(reason: reason) }
        _ = Promise.race([last, promise])
        last = promise
      }
      first.fulfill(1)
    }
    #expect(last.isRejected)
    #expect(census.living == 0)
  }

  @Test(
    "A discarded rejection of an input is not reported, whether or not the client's promise is the owner's",
    .rule("7.1"), arguments: [false, true], [0, 1])
  func discarded(_ observesClients: Bool, _ place: Int) {
    let reports = reported {
      let owner = Deferred<Int>(cancelsWithoutClients: observesClients)
      let client = owner.promise
      var inputs = [Promise.fulfilled(1)]
      inputs.insert(client, at: place)
      let race = Promise.race(inputs)
      #expect(race.isFulfilled)
      owner.reject(TestError(7))
      withExtendedLifetime(client) {}
    }
    #expect(reports.isEmpty)
  }

  @Test(
    "Hooks of inputs without clients find the result settled", .rule("4.5", "4.6", "4.8"), arguments: [false, true])
  func hooksOfInput(isCancelled: Bool) {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let other = Deferred<Int>()
    let result: AnyPromise =
      isCancelled ? Promise.all([owner.promise, other.promise]) : Promise.race([owner.promise, other.promise])
    let log = Log<Bool>()
    owner.onCancel(on: .atOnce) { _ in log.append(result.isPending) }
    if isCancelled { result.cancel() } else { other.fulfill(1) }
    #expect(log.entries == [false])
  }

  @Test("The deinit of an input's error finds the handlers below the result scheduled", .rule("6.5"))
  func errorOfInput() {
    let context = ManualContext()
    let log = Log<Int>()
    let owner = Deferred<Int>()
    let result = Promise.any([.rejected(AtEnd { log.append(context.count) }), owner.promise])
    // Two links that pass the value on, so that the handler is scheduled after the combination has ended.
    result.recover(on: context) { _ in 0 }.recover(on: context) { _ in 0 }.onFulfilled(on: context) { _ in }
    owner.fulfill(1)
    #expect(log.entries == [1])
    context.runUntilIdle()
  }

  /// The kinds of lists of inputs.
  enum Inputs: CaseIterable {
    case two, same, settledFirst, settledLast

    func of(_ owners: [Deferred<Int>]) -> [Promise<Int>] {
      let first = owners[0].promise
      let second = owners[1].promise
      return switch self {
      case .two: [first, second]
      case .same: [first, first, second, first]
      case .settledFirst: [.fulfilled(0), first, second]
      case .settledLast: [first, second, .rejected(CancellationError())]
      }
    }
  }

  private func end(_ result: AnyPromise, by ending: Ending, of owners: [Deferred<Int>]) {
    switch ending {
    case .cancel: result.cancel()
    case .giveUp: result.cancel(upstream: true)
    case .inputs: for owner in owners { owner.fulfill(1) }
    case .rejections: for owner in owners { owner.reject(CancellationError()) }
    case .oneCancelled:
      owners[1].promise.cancel()
      owners[0].fulfill(1)
    case .cancelThenInputs:
      result.cancel()
      for owner in owners { owner.fulfill(1) }
    case .inputThenCancel:
      owners[1].fulfill(1)
      result.cancel()
    case .ring:
      let first = owners[0]
      if let result = result as? Promise<Int> { first.follow(result) } else { first.follow(first.promise) }
      owners[1].fulfill(1)
    case .timeOut:
      result.timeOut(
        because: PromiseError.timedOut(createdAt: CreationSite(fileID: #fileID, line: #line)), givingUp: false)
    }
  }

  @Test(
    "A result and its inputs are released with the last reference, however the result was settled", .rule("6.3"),
    arguments: Combinator<Int>.all, Ending.allCases)
  func goes(_ combinator: Combinator<Int>, _ ending: Ending) {
    for kind in Inputs.allCases {
      weak var seenResult: AnyPromise?
      weak var seenInput: AnyPromise?
      do {
        let owners = (0..<2).map { _ in Deferred<Int>() }
        do {
          let result = combinator.combine(kind.of(owners))
          seenResult = result
          end(result, by: ending, of: owners)
          #expect(!result.isPending)
        }
        // The result is released although the inputs are alive and may be pending.
        #expect(seenResult == nil, "\(kind)")
        for owner in owners { #expect(!owner.promise.debugDescription.contains("consumer"), "\(kind)") }
        seenInput = owners[0].promise
      }
      #expect(seenInput == nil, "\(kind)")
    }
  }

  @Test(
    "A result is a consumer of its inputs until it is cancelled, twice of a promise that is an input twice",
    .rule("4.0", "4.4", "4.8"), arguments: Combinator<Int>.all, CancelForm.allCases)
  func same(_ combinator: Combinator<Int>, _ form: CancelForm) {
    let work = StoppableWork()
    let result = combinator.combine([work.promise, work.promise])
    #expect(work.promise.debugDescription.contains("2 consumers"))
    form.apply(to: result)
    #expect(result.isCancelled)
    #expect(form == .up ? work.isStopped : work.goesOn)
    #expect(!work.promise.debugDescription.contains("consumer"))
    result.cancel(upstream: true)
    #expect(form == .up || work.goesOn, "a cancelled result has left its inputs")
  }

  @Test("Errors of inputs are reported if they come after the result was cancelled", .rule("7.1"))
  func notExcused() {
    let reports = reported {
      let owners = (0..<2).map { _ in Deferred<Int>() }
      Promise.race(owners.map(\.promise)).cancel()
      for (index, owner) in owners.enumerated() { owner.reject(TestError(index)) }
    }
    #expect(reports.sorted() == [0, 1])
  }

  @Test(
    "The last client of an input is released after all handlers are scheduled that the same call makes ready",
    .rule("4.5", "4.6"), arguments: [false, true])
  func lastClient(isAdopted: Bool) {
    let context = ManualContext()
    let winner = Deferred<Int>()
    let log = Log<String>()
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    owner.onCancel(on: context) { _ in log.append("hook") }
    let result =
      isAdopted
      ? Promise.fulfilled(0).then(on: context) { _ in Promise.race([owner.promise, winner.promise]) }
      : Promise.race([owner.promise, winner.promise])
    context.runUntilIdle()
    result.onFulfilled(on: context) { _ in log.append("handler") }
    context.runUntilIdle(after: winner.fulfill(1))
    #expect(log.entries == ["handler", "hook"])
  }
}
