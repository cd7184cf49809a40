import TestSupport
import Testing

/// Tests when handlers and their captures are released.
@Suite("Lifetime of handlers", .leavingNothing) struct HandlerLifetimeTests {
  let context = ManualContext()
  let census = Tracked.Census()

  /// Attaches a handler that captures a tracked object. No other code retains the object.
  private func attach(
    _ kind: LinkKind, to promise: Promise<Int>, throwing: Bool = false, _ body: @escaping @Sendable () -> Void = {}
  ) -> Promise<Int> {
    let payload = Tracked(census)
    return kind.attach(to: promise, on: context, giving: 2) {
      body()
      if throwing { throw TestError(9) }
      withExtendedLifetime(payload) {}
    }
  }

  @Test(
    "A handler and its captures are released before the handlers of the derived promise run", .rule("2.4"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func beforeDownstream(_ kind: LinkKind, _ settlement: Settlement) {
    for throwing in [false, true] {
      let log = Log<Int>()
      let deferred = Deferred<Int>()
      let derived = attach(kind, to: deferred.promise, throwing: throwing)
      derived.onSettled(on: context) { [census] _ in log.append(census.living) }
      deferred.settle(settlement.result)
      context.runUntilIdle()
      #expect(log.entries == [0])
      #expect(census.living == 0)
    }
  }

  @Test(
    "A handler that a cancel drops is released before the handlers of the cancelled promise run", .rule("2.4", "2.5"),
    arguments: [LinkKind.map, .then, .tap, .validate, .compactMap, .recover, .rescue, .mapError], [false, true])
  func beforeCancelled(_ kind: LinkKind, isScheduled: Bool) {
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let source = isScheduled ? Settlement.allCases.first { $0.schedulesJob(of: kind) } : nil
    if let source { deferred.settle(source.result) }
    let derived = attach(kind, to: deferred.promise)
    derived.onSettled(on: .atOnce) { [census] _ in log.append(census.living) }
    derived.cancel()
    #expect(log.entries == [0])
  }

  @Test("Captures live until the handler has run, even if the job is held", .rule("2.4"), arguments: LinkKind.allCases)
  func jobHeld(_ kind: LinkKind) throws {
    for settlement in Settlement.allCases where settlement.runsHandler(of: kind) {
      let deferred = Deferred<Int>()
      let log = Log<Int>()
      let derived = attach(kind, to: deferred.promise) { [census] in log.append(census.living) }
      deferred.settle(settlement.result)
      let job = try #require(context.takeFirst())
      #expect(census.living == 1)
      job.run()
      #expect(log.entries == [1])
      #expect(census.living == 0)
      withExtendedLifetime((job, derived)) {}
    }
  }

  @Test("Settlement releases unrun handlers", .rule("2.3", "6.1"), arguments: LinkKind.allCases, Settlement.allCases)
  func passedOver(_ kind: LinkKind, _ settlement: Settlement) {
    guard !settlement.schedulesJob(of: kind) else { return }
    let deferred = Deferred<Int>()
    let derived = attach(kind, to: deferred.promise)
    #expect(census.living == 1)
    deferred.settle(settlement.result)
    #expect(census.living == 0)
    let late = attach(kind, to: deferred.promise)
    #expect(census.living == 0)
    withExtendedLifetime((derived, late)) {}
  }

  @Test("A handler that captures its promises is released after settlement", .rule("2.4"), arguments: LinkKind.links)
  func capturingItself(_ kind: LinkKind) {
    for settlement in Settlement.allCases {
      do {
        let deferred = Deferred<Int>()
        let box = Locked<Promise<Int>?>(nil)
        let source = deferred.promise
        let derived = attach(kind, to: source) { withExtendedLifetime((box, source)) {} }
        box.withLock { $0 = derived }
        deferred.settle(settlement.result)
      }
      context.runUntilIdle()
      #expect(census.living == 0)
    }
  }

  @Test("A retain cycle between a handler and the owner of its promise ends with the settlement", .rule("6.1"))
  func capturedOwner() {
    weak var probe: Promise<Int>?
    do {
      let deferred = Deferred<Int>()
      probe = deferred.promise
      _ = attach(.always, to: deferred.promise) { withExtendedLifetime(deferred) {} }
      deferred.fulfill(1)
    }
    #expect(probe != nil)
    context.runUntilIdle()
    #expect(probe == nil)
    #expect(census.living == 0)
  }
}
