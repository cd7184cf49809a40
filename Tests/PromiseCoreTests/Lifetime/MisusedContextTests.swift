import TestSupport
import Testing

@Suite("Contexts that drop jobs, reject them, or run them twice", .leavingNothing) struct MisusedContextTests {
  /// The ways in which a context ends a job without running it.
  enum Way: CaseIterable, Sendable { case drop, reject }

  @Test(
    "A job that is dropped or rejected unrun releases its handler, and rejects the derived promise",
    .rule("2.4", "6.1", "6.2"), arguments: LinkKind.allCases, Way.allCases)
  func unrun(_ kind: LinkKind, _ way: Way) throws {
    for settlement in Settlement.allCases where settlement.runsHandler(of: kind) {
      let context = Trampoline()
      let census = Tracked.Census()
      let log = Log<Int>()
      let deferred = Deferred<Int>()
      let derived = kind.attach(
        to: deferred.promise, on: context, giving: 2, fileID: "Elsewhere/File.swift", line: 71
      ) { [payload = Tracked(census)] in withExtendedLifetime(payload) { log.append(1) } }
      let behind = derived.recover(on: context) { throw $0 }
      deferred.settle(settlement.result)
      #expect(derived.isPending != kind.isObserver)
      #expect(census.living == 1)
      let error: Status<Int>
      switch way {
      case .drop:
        _ = context.takeAll()
        error = .rejected(.contextDropped(71))
        if !kind.isObserver { #expect("\(try #require(derived.error))".contains("Elsewhere/File.swift:71")) }
      case .reject:
        for job in context.takeAll() { job.reject(TestError(9)) }
        error = .failed(9)
      }
      // The handlers behind a link were scheduled inside the call that ended its job, and on their own context.
      #expect(census.living == 0)
      #expect(kind.isObserver || behind.isPending)
      // An observer returns the promise itself, which keeps its outcome.
      #expect(derived.status == (kind.isObserver ? settlement.status : error))
      context.run()
      if !kind.isObserver { #expect(behind.status == error) }
      #expect(log.entries.isEmpty)
      #expect(deferred.promise.status == settlement.status)
    }
  }

  @Test("Rejecting a job that has run or was cancelled changes nothing", .rule("1.3", "6.2"))
  func rejectedTooLate() {
    let context = Trampoline()
    let ran = Promise.fulfilled(1).map(on: context) { $0 + 1 }
    for job in context.takeAll() {
      job.run()
      job.reject(TestError(9))
    }
    #expect(ran.status == .fulfilled(2))
    let cancelled = Promise.fulfilled(1).map(on: context) { $0 + 1 }
    cancelled.cancel()
    for job in context.takeAll() { job.reject(TestError(9)) }
    #expect(cancelled.isCancelled)
  }

  @Test("A job dropped while scheduled rejects the promise of a link or closure with contextDropped", .rule("6.2"))
  func droppedAtOnce() {
    let derived = Promise.fulfilled(1).map(on: DroppingContext(), line: 72) { $0 }
    #expect(derived.status == .rejected(.contextDropped(72)))
    let ran = Promise<Int>.run(on: DroppingContext(), line: 73) { 1 }
    #expect(ran.status == .rejected(.contextDropped(73)))
    let owned = Promise<Int>(on: DroppingContext(), line: 74) { $0.fulfill(1) }
    #expect(owned.status == .rejected(.contextDropped(74)))
  }

  @Test(
    "A context that takes the engine's jobs itself can drop them or pass them on, but not break anything", .rule("6.2"))
  func engineJobs() {
    let passing = EngineJobContext()
    let dropping = EngineJobContext(drops: true)
    let deferred = Deferred<Int>()
    let passed = deferred.promise.map(on: passing) { $0 + 1 }
    let passedToo = deferred.promise.map(on: passing) { $0 + 2 }
    let dropped = deferred.promise.map(on: dropping, line: 75) { $0 }
    let droppedToo = deferred.promise.map(on: dropping, line: 76) { $0 }
    deferred.fulfill(1)
    #expect(dropped.status == .rejected(.contextDropped(75)))
    #expect(droppedToo.status == .rejected(.contextDropped(76)))
    passing.target.runUntilIdle()
    #expect(passed.status == .fulfilled(2))
    #expect(passedToo.status == .fulfilled(3))
    let late = deferred.promise.map(on: dropping, line: 77) { $0 }
    #expect(late.status == .rejected(.contextDropped(77)))
  }

  @Test("A dropped job rejects its promise before the drop returns, even during another drop", .rule("1.3", "6.2"))
  func droppedBesideOthers() {
    let slow = BlockingContext()
    let log = Log<Bool>()
    let deferred = Deferred<Int>()
    // The promise that the drop rejects schedules its own handler.
    deferred.promise.always(on: DroppingContext()) { _ in }.always(on: slow) { _ in }
    race([
      { deferred.fulfill(1) },
      {
        slow.isReached.wait()
        log.append(Promise.fulfilled(1).always(on: DroppingContext()) { _ in }.isRejected)
        slow.mayContinue.open()
      },
    ])
    #expect(log.entries == [true])
  }

  @Test("A batch of which some jobs are dropped rejects the promises of those jobs only", .rule("6.2"))
  func droppedFromBatch() {
    let context = ManualContext(isGrouping: true)
    let deferred = Deferred<Int>()
    let derived = (0..<4).map { index in deferred.promise.map(on: context, line: UInt(80 + index)) { $0 + index } }
    deferred.fulfill(10)
    context.step()
    _ = context.takeFirst()
    context.step()
    context.dropAll()
    #expect(
      derived.map(\.status) == [
        .fulfilled(10), .rejected(.contextDropped(81)), .fulfilled(12), .rejected(.contextDropped(83)),
      ])
  }

  @Test(
    "A job that is run several times, even by its own handler, runs its handler once", .rule("2.1"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func twice(_ kind: LinkKind, _ settlement: Settlement) {
    guard settlement.runsHandler(of: kind) else { return }
    let context = ManualContext()
    let log = Log<String>()
    let deferred = Deferred<Int>()
    let running = Locked<Job?>(nil)
    let derived = kind.attach(to: deferred.promise, on: context, giving: 2) {
      log.append("handler")
      running.withLock { $0 }?.run()
    }
    derived.onSettled(on: context) { _ in log.append("downstream") }
    deferred.settle(settlement.result)
    var jobs: [Job] = []
    while let job = context.takeFirst() {
      jobs.append(job)
      running.withLock { $0 = job }
      for _ in 0..<3 { job.run() }
    }
    running.withLock { $0 = nil }
    for job in jobs { job.run() }
    #expect(log.entries == ["handler", "downstream"])
    #expect(derived.status == kind.expected(after: settlement, giving: 2, throwing: nil))
    jobs = []
    #expect(derived.status == kind.expected(after: settlement, giving: 2, throwing: nil))
  }

  @Test("A job counts as dropped only when the last of its copies is released", .rule("2.1"))
  func copies() throws {
    let context = ManualContext()
    let derived = Promise.fulfilled(1).map(on: context, line: 75) { $0 }
    var copies = Array(repeating: try #require(context.takeFirst()), count: 3)
    copies.removeLast()
    #expect(derived.isPending)
    copies.removeLast()
    #expect(derived.isPending)
    copies.removeLast()
    #expect(derived.status == .rejected(.contextDropped(75)))
  }

  @Test("A promise whose handler was dropped has a readable parent until it is settled", .rule("6.2", "6.5"))
  func parentOfDropped() {
    var owner: Deferred<Int>? = Deferred()
    func derived() -> [Promise<Int>] {
      // No other code retains this promise.
      let base = owner?.promise.map(on: .atOnce) { $0 }
      return (0..<2).compactMap { _ in base?.recover(on: DroppingContext()) { _ in 1 } }
    }
    let promises = derived()
    let parents = Log<Bool?>()
    promises[0].onRejected(on: CallingContext { parents.append(promises[1].parent?.isRejected) }) { _ in }
    owner = nil
    #expect(parents.entries == [true])
    #expect(promises.allSatisfy { $0.isRejected })
  }

  @Test("A context released with jobs in it is deallocated, and rejects the promises of the jobs", .rule("6.2", "6.3"))
  func abandoned() {
    weak var probe: ManualContext?
    let derived: Promise<Int>
    do {
      let context = ManualContext()
      probe = context
      derived = Promise.fulfilled(1).map(on: context, line: 76) { $0 }
      #expect(context.count == 1)
      withExtendedLifetime(context) {}
    }
    #expect(probe == nil)
    #expect(derived.status == .rejected(.contextDropped(76)))
  }
}

/// A context that implements the requirements which are meant for contexts of the library.
private final class EngineJobContext: ExecutionContext {
  let target = ManualContext()
  private let drops: Bool

  init(drops: Bool = false) { self.drops = drops }

  var identity: ObjectIdentifier? { ObjectIdentifier(self) }
  func schedule(_ job: consuming Job) {}

  func scheduleEngineJob(_ job: consuming EngineJob) {
    if !drops { target.scheduleEngineJob(job) }
  }

  func scheduleEngineJobs(_ jobs: consuming EngineJobs) {
    if !drops { target.scheduleEngineJobs(jobs) }
  }
}
