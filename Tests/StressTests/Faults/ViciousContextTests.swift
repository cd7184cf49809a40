import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: contexts that break their contract")
  struct ViciousContextTests {
    @Test(
      "A promise on a faulty context settles with the right value or a clear error, and no closure runs twice",
      .rule("2.1", "6.2"),
      arguments: Vice.allCases, Use.all)
    func settles(_ vice: Vice, _ use: Use) {
      let census = Tracked.Census()
      let runs = Locked(0)
      let context = ViciousContext(vice)
      let promise = use.start(on: context) { [tracked = Tracked(census)] in tracked.carrying(runs.withLock { $0 += 1 })
      }
      context.work()
      #expect(!promise.isPending && promise.isFulfilled == vice.runs)
      #expect(runs.withLock(\.self) == (vice.runs ? use.count : 0))
      // The closure of a loop is released together with its promise.
      #expect(census.living == 0)
      if !vice.runs { #expect(says(vice, promise)) }
    }

    /// Returns whether the description of the promise names the error of the context, or the place where the promise
    /// was made.
    private func says(_ vice: Vice, _ promise: AnyPromise) -> Bool {
      let text = promise.debugDescription
      return vice.isRejecting ? text.contains("TestError(number: 9)") : text.contains("Use.swift")
    }

    @Test(
      "An observer's job that is dropped, refused or run twice harms no other consumer", .rule("6.2", "7.1"),
      arguments: Vice.allCases)
    func observers(_ vice: Vice) {
      let context = ViciousContext(vice)
      let (good, runs) = (ManualContext(), Locked(0))
      let owner = Deferred<Int>()
      owner.promise.onSettled(on: context) { _ in runs.withLock { $0 += 1 } }
      owner.promise.onProgress(on: context) { _ in }
      let beside = owner.promise.map(on: good) { $0 + 1 }
      owner.report(progress: 0.5)
      owner.fulfill(1)
      context.work()
      good.runUntilIdle()
      #expect((try? beside.result?.get()) == 2)
      #expect(runs.withLock(\.self) == (vice.runs ? 1 : 0))
    }

    @Test(
      "The error for a dropped job names the fault of the context and the line of the link", .rule("6.2"),
      arguments: [true, false])
    func report(isScheduled: Bool) {
      let promise = Promise.fulfilled(1).map(on: ViciousContext(isScheduled ? .dropsLater : .dropsAtOnce), line: 71) {
        $0
      }
      guard case .failure(let error) = promise.result else { return #expect(Bool(false), "not rejected") }
      #expect("\(error)".contains("ViciousContextTests.swift:71"))
      #expect("\(error)".contains("context"))
    }
  }
}
