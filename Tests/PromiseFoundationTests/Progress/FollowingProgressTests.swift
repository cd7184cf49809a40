import PromiseFoundation
import Testing

/// Calls a closure before and after each handler.
private struct SurroundingContext: CarriedContext {
  let before: @Sendable () -> Void
  let after: @Sendable () -> Void

  func run(_ handler: () -> Void) {
    before()
    handler()
    after()
  }
}

@Suite("Foundation's Progress of a promise", .bounded) struct FollowingProgressTests {
  private let context = ManualContext()

  @Test("A Progress shows the reported progress in units, on its context")
  func shows() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: 200)
    #expect(progress.totalUnitCount == 200)
    #expect(progress.cancellationHandler != nil)
    deferred.report(progress: 0.25)
    #expect(progress.completedUnitCount == 0)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == 50)
    #expect(progress.fractionCompleted == 0.25)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.isFinished)
    #expect(!progress.isCancelled)
    #expect(progress.cancellationHandler == nil)
  }

  @Test(
    "A rejection leaves a Progress at its last value, and a Progress of a settled promise shows the final value",
    .rule("5.2", "5.3"))
  func settled() {
    let deferred = Deferred<Int>()
    let early = Foundation.Progress.following(deferred.promise, on: context)
    deferred.report(progress: 0.5)
    deferred.reject(TestError(1))
    let late = Foundation.Progress.following(deferred.promise, on: context)
    let fulfilled = Foundation.Progress.following(Promise.fulfilled(1), on: context)
    context.runUntilIdle()
    for progress in [early, late] {
      #expect(progress.fractionCompleted == 0.5)
      #expect(!progress.isFinished)
      #expect(!progress.isCancelled)
      #expect(progress.cancellationHandler == nil)
    }
    #expect(fulfilled.isFinished)
  }

  @Test("A Progress takes back the queued observers of a fulfilled promise, and still completes", .rule("2.5", "4.6"))
  func queuedObservers() async {
    let deferred = Deferred<Int>()
    let shown = ManualContext()
    let log = Log<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.onFulfilled(on: shown) { log.append($0) }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.cancellationHandler != nil)
    // On Linux, the handler for the cancellation runs on another thread.
    progress.cancel()
    #expect(await eventually { context.runUntilIdle() > 0 })
    #expect(progress.cancellationHandler == nil)
    shown.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(progress.isFinished)
  }

  @Test("A Progress completes if its promise is cancelled after it was fulfilled", .rule("2.5", "5.2"))
  func cancelledAfterFulfilment() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.fulfill(1)
    deferred.promise.cancel()
    context.runUntilIdle()
    #expect(progress.isFinished)
    #expect(!progress.isCancelled)
  }

  @Test("A promise that is cancelled for lack of clients cancels the Progress", .rule("4.6"), arguments: [true, false])
  func unobserved(_ hasReported: Bool) {
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
    var promise: Promise<Int>? = deferred.promise
    let progress = promise.map { Foundation.Progress.following($0, on: context) }
    if hasReported { deferred.report(progress: 0.5) }
    promise = nil
    context.runUntilIdle()
    #expect(deferred.promise.isCancelled)
    #expect(progress?.isCancelled == true)
    #expect(progress?.cancellationHandler == nil)
  }

  @Test(
    "A fulfilled promise completes any number of units", .rule("5.2"),
    arguments: [Int64.max, .max - 1, 1 << 53 + 1, 7, 1] as [Int64])
  func unitCounts(_ count: Int64) {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: count)
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == Int64(0.5 * Double(count)))
    deferred.report(progress: 1.0.nextDown)
    context.runUntilIdle()
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == count)
  }

  @Test(
    "A Progress without units is indeterminate until its promise is fulfilled", arguments: [0, -1, .min] as [Int64])
  func noUnits(_ count: Int64) {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: count)
    let rejected = Foundation.Progress.following(
      Promise<Int>.rejected(TestError(1)), on: context, totalUnitCount: count)
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    for pending in [progress, rejected] {
      #expect(pending.isIndeterminate)
      #expect(pending.totalUnitCount == count)
      #expect(pending.completedUnitCount == 0)
      #expect(!pending.isFinished)
    }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.isFinished)
    #expect(progress.fractionCompleted == 1)
  }

  @Test(
    "A Progress with any number of units completes its parent", .rule("5.2"),
    arguments: [.max, 7, 0, -1, .min] as [Int64])
  func parents(_ count: Int64) {
    let deferred = Deferred<Int>()
    let total = Foundation.Progress(totalUnitCount: 2)
    total.addChild(
      .following(deferred.promise, on: context, totalUnitCount: count), withPendingUnitCount: 1)
    total.addChild(
      .following(Promise.fulfilled(1), on: context, totalUnitCount: count), withPendingUnitCount: 1)
    context.runUntilIdle()
    #expect(total.fractionCompleted == 0.5)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(total.isFinished)
    #expect(total.fractionCompleted == 1)
  }

  @Test("A Progress is not a consumer, so the work is cancelled when the last link cancels upstream", .rule("4.0"))
  func noConsumer() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(deferred.promise.isCancelled)
    context.runUntilIdle()
    #expect(progress.isCancelled)
  }

  @Test("A Progress of a promise counts, and can be cancelled, in a tree of Progress")
  func tree() async {
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    let total = Foundation.Progress(totalUnitCount: 4)
    total.addChild(.following(first.promise, on: context), withPendingUnitCount: 3)
    total.addChild(.following(second.promise, on: context), withPendingUnitCount: 1)
    first.fulfill(1)
    second.report(progress: 0.5)
    context.runUntilIdle()
    #expect(total.fractionCompleted == 0.875)
    total.cancel()
    await #expect(throws: CancellationError.self) { try await second.promise.value }
    #expect(first.promise.isFulfilled)
  }

  // In a process of its own, because the hook is that of the whole process.
  @Test("A Progress never falls, even if a late delivery of an earlier value overlaps the completion", .rule("5.1"))
  func lateDelivery() async {
    await #expect(processExitsWith: .success) {
      let context = ManualContext()
      let deferred = Deferred<Int>()
      let followed = Locked<Foundation.Progress?>(nil)
      let seen = Log<Int64?>()
      Diagnostics.carryContext {
        SurroundingContext {
          // The delivery of 0.5 has begun. On another thread, the promise is fulfilled, and the completion is shown.
          if deferred.promise.isPending { deferred.fulfill(1) }
          context.runUntilIdle()
          seen.append(followed.withLock(\.self)?.completedUnitCount)
        } after: {
          seen.append(followed.withLock(\.self)?.completedUnitCount)
        }
      }
      let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: 2)
      Diagnostics.carryContext(nil)
      followed.withLock { $0 = progress }
      deferred.report(progress: 0.5)
      context.runUntilIdle()
      #expect(seen.entries.count >= 2)
      #expect(seen.entries.allSatisfy { $0 == 2 })
    }
  }

  @Test(
    "A Progress whose context drops its jobs causes no unhandled rejection", .rule("6.2", "7.1"),
    arguments: ["fulfilled", "rejected", "cancelled"])
  func droppedChanges(_ end: String) {
    let reports = Log<String>()
    let hook: @Sendable (UnhandledRejection) -> Void = { reports.append("\($0.error)") }
    Diagnostics.scoped(unhandledRejection: hook) {
      let deferred = Deferred<Int>()
      let progress = Foundation.Progress.following(deferred.promise, on: DroppingContext())
      switch end {
      case "fulfilled": deferred.fulfill(1)
      case "rejected": deferred.reject(TestError(1))
      default: deferred.promise.cancel()
      }
      #expect(deferred.promise.error is TestError == (end == "rejected"))
      #expect(progress.cancellationHandler != nil)
    }
    #expect(reports.entries.isEmpty)
  }

  @Test(
    "A Progress does not delay the report of an unhandled rejection while its context runs no jobs", .rule("7.1"))
  func queuedChanges() {
    let reports = Log<String>()
    let hook: @Sendable (UnhandledRejection) -> Void = { reports.append("\($0.error)") }
    let progress = Diagnostics.scoped(unhandledRejection: hook) {
      let deferred = Deferred<Int>()
      defer { deferred.reject(TestError(1)) }
      return Foundation.Progress.following(deferred.promise, on: context)
    }
    #expect(reports.entries == ["\(TestError(1))"])
    context.runUntilIdle()
    #expect(progress.cancellationHandler == nil)
  }

  @Test("A Progress on a context where handlers overlap is complete after its promise is fulfilled", .rule("5.2"))
  func overlapping() {
    let queue = DispatchQueue(label: "overlapping", attributes: .concurrent)
    for _ in 0..<2_000 {
      let deferred = Deferred<Int>()
      let progress = Foundation.Progress.following(deferred.promise, on: .concurrent(queue))
      race([
        {
          deferred.report(progress: 0.25)
          deferred.report(progress: 0.5)
        }, { deferred.fulfill(1) },
      ])
      queue.sync(flags: .barrier) {}
      #expect(progress.completedUnitCount == 1_000)
    }
  }

  @Test("A promise retains its Progress while it is pending, and releases it when it is settled", .rule("6.3"))
  func lifetimes() {
    let deferred = Deferred<Int>()
    weak var progress: Foundation.Progress?
    do {
      let kept = Foundation.Progress.following(deferred.promise, on: context)
      progress = kept
      deferred.report(progress: 0.5)
      context.runUntilIdle()
    }
    #expect(progress?.fractionCompleted == 0.5)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress == nil)
  }
}

@Suite("Cancelling Foundation's Progress", .bounded) struct ProgressGivingUpTests {
  private let context = ManualContext()

  /// Returns an owner, and a promise that its cancellation hook fulfils. Foundation calls the cancellation handler on
  /// another thread, so a test must await the hook.
  private func makeWork() -> (owner: Deferred<Int>, stopped: Promise<String>) {
    let owner = Deferred<Int>()
    let stopped = Deferred<String>()
    owner.onCancel { stopped.fulfill("\($0)") }
    return (owner, stopped.promise)
  }

  @Test(
    "Cancelling a Progress cancels its promise, and stops the work at the start of a chain of links",
    .rule("4.0", "4.5", "4.6"), arguments: 0..<3)
  func links(length: Int) async throws {
    let (owner, stopped) = makeWork()
    let promise = (0..<length).reduce(owner.promise) { promise, _ in promise.map(on: context) { $0 } }
    Foundation.Progress.following(promise, on: context).cancel()
    #expect(try await stopped.value == "CancellationError()")
    #expect(promise.isCancelled)
    #expect(owner.promise.isCancelled)
  }

  @Test("Cancelling a Progress stops work whose promise no client retains but a link still needs", .rule("4.6"))
  func releasedClient() async throws {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let stopped = Deferred<String>()
    owner.onCancel { stopped.fulfill("\($0)") }
    var promise: Promise<Int>? = owner.promise
    let link = promise?.map(on: context) { $0 }
    let progress = promise.map { Foundation.Progress.following($0, on: context) }
    promise = nil
    progress?.cancel()
    #expect(try await stopped.promise.value == "CancellationError()")
    #expect(link?.isCancelled == true)
  }

  @Test("Cancelling a Progress does not stop work that has another consumer", .rule("4.6"))
  func shared() async throws {
    let (owner, _) = makeWork()
    let other = owner.promise.map(on: context) { $0 }
    let cancelled = Deferred<Void>()
    let promise = owner.promise.map(on: context) { $0 }
    let follower = Deferred<Int>()
    follower.onCancel { _ in cancelled.fulfill() }
    follower.follow(promise)
    Foundation.Progress.following(follower.promise, on: context).cancel()
    try await cancelled.promise.value
    #expect(await eventually { promise.isCancelled })
    #expect(owner.promise.isPending)
    #expect(other.isPending)
  }
}

@Suite("Foundation's Progress reported by an owner") struct ReportedProgressTests {
  @Test("A Progress is reported as its fraction with its children, unless it is indeterminate or falls", .rule("5.1"))
  func reported() {
    let deferred = Deferred<Int>()
    let total = Foundation.Progress(totalUnitCount: 2)
    let part = Foundation.Progress(totalUnitCount: 10, parent: total, pendingUnitCount: 1)
    #expect(!deferred.report(progress: total))
    part.completedUnitCount = 5
    #expect(deferred.report(progress: total))
    #expect(deferred.promise.progress == 0.25)
    #expect(!deferred.report(progress: Foundation.Progress(totalUnitCount: -1)))
    #expect(!deferred.report(progress: Foundation.Progress(totalUnitCount: 0)))
    let fallen = Foundation.Progress(totalUnitCount: 10)
    fallen.completedUnitCount = 2
    #expect(!deferred.report(progress: fallen))
    #expect(deferred.promise.progress == 0.25)
    part.completedUnitCount = 10
    total.completedUnitCount += 1
    #expect(deferred.report(progress: total))
    #expect(deferred.promise.progress == 1)
  }
}
