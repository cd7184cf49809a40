import Foundation
import TestSupport
import TestedCalls
import Testing

@Suite("Handlers of cancelled promises, in every family", .bounded) struct CancelledHandlerTests {
  /// Returns whether the handler replaces errors.
  private static func replacesErrors(_ call: FamilyCall) -> Bool {
    ["recover(", "rescue(", "mapError(", "asyncRecover("].contains { call.operation.hasPrefix($0) }
  }

  /// Returns whether the handler is for values alone.
  private static func isForValues(_ call: FamilyCall) -> Bool {
    let names = ["map(", "then(", "tap(", "validate(", "compactMap(", "asyncMap(", "asyncTap("]
    return !call.operation.contains("rejected:") && names.contains { call.operation.hasPrefix($0) }
  }

  @Test(
    "cancel() releases handlers for values and handlers that replace errors before it returns", .rule("2.5"),
    arguments: FamilyCall.all.filter { replacesErrors($0) || isForValues($0) }, CancelForm.allCases)
  func released(_ call: FamilyCall, _ form: CancelForm) {
    let census = Tracked.Census()
    let deferred = Deferred<Parcel>()
    // The handler captures a tracked object.
    let derived = call.run(deferred.promise, Probe(Tracked(census)))
    #expect(census.living == 1)
    form.apply(to: derived)
    // While the source is pending, it may retain the context of a cancelled link for a while (rule 4.9). That context
    // retains the actor of the probe.
    let isOnActor = call.family == .actor || call.family == .onActor
    #expect(derived.isCancelled)
    #expect(census.living == 0 || isOnActor && form == .down)
    // With `cancel()` the source stays pending.
    #expect(deferred.promise.isPending == (form == .down))
  }

  private actor Clerk {
    func run(_ body: @Sendable () -> Void) { body() }
  }

  private static let ofClerk: [@Sendable (Promise<Int>, Clerk, Tracked) -> AnyPromise] = [
    { promise, clerk, held in promise.recover(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.recover(from: TestError.self, isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.recoverFailure(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.rescue(isolatedTo: clerk) { _, _ in held.carrying(.fulfilled(0)) } },
    { promise, clerk, held in
      promise.rescue(from: TestError.self, isolatedTo: clerk) { _, _ in held.carrying(.fulfilled(0)) }
    },
    { promise, clerk, held in promise.rescueFailure(isolatedTo: clerk) { _, _ in held.carrying(.fulfilled(0)) } },
    { promise, clerk, held in promise.catchFailure(isolatedTo: clerk) { _, _ in held.carrying(()) } },
    { promise, clerk, held in
      promise.catchFailure(only: TestError.self, isolatedTo: clerk) { _, _ in held.carrying(()) }
    },
    { promise, clerk, held in promise.markCancelled(isolatedTo: clerk) { _, _ in held.carrying(true) } },
    { promise, clerk, held in promise.mapError(isolatedTo: clerk) { _, error in held.carrying(error) } },
    { promise, clerk, held in
      promise.mapError(from: TestError.self, isolatedTo: clerk) { _, error in held.carrying(error) }
    },
    { promise, clerk, held in promise.map(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.then(isolatedTo: clerk) { _, _ in held.carrying(.fulfilled(0)) } },
    { promise, clerk, held in promise.tap(isolatedTo: clerk) { _, _ in held.carrying(()) } },
    { promise, clerk, held in promise.tapThen(isolatedTo: clerk) { _, _ in held.carrying(Promise.fulfilled(0)) } },
    { promise, clerk, held in promise.validate(isolatedTo: clerk) { _, _ in held.carrying(true) } },
    { promise, clerk, held in promise.compactMap(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.asyncMap(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in promise.asyncTap(isolatedTo: clerk) { _, _ in held.carrying(()) } },
    { promise, clerk, held in promise.asyncRecover(isolatedTo: clerk) { _, _ in held.carrying(0) } },
    { promise, clerk, held in
      promise.asyncRecover(from: TestError.self, isolatedTo: clerk) { _, _ in held.carrying(0) }
    },
    { promise, clerk, held in promise.on(isolatedTo: clerk).recover { _, _ in held.carrying(0) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).rescue { _, _ in held.carrying(.fulfilled(0)) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).mapError { _, error in held.carrying(error) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).map { _, _ in held.carrying(0) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).asyncMap { _, _ in held.carrying(0) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).asyncTap { _, _ in held.carrying(()) }.promise },
    { promise, clerk, held in promise.on(isolatedTo: clerk).asyncRecover { _, _ in held.carrying(0) }.promise },
  ]

  @Test(
    "cancel() releases the captures of a handler isolated to an actor before it returns", .rule("2.5"),
    arguments: ofClerk.indices)
  func releasedOnActor(_ index: Int) {
    let census = Tracked.Census()
    let deferred = Deferred<Int>()
    let derived = Self.ofClerk[index](deferred.promise, Clerk(), Tracked(census))
    #expect(census.living == 1)
    derived.cancel()
    #expect(derived.isCancelled)
    #expect(deferred.promise.isPending)
    #expect(census.living == 0)
  }

  private static let asyncLinks: [@Sendable (Promise<Int>, Clerk, Log<Int>) -> Promise<Int>] = [
    { promise, _, begun in promise.asyncMap(on: .main) { begun.append($0, returning: 2) } },
    { promise, _, begun in promise.asyncTap(on: .main) { begun.append($0) } },
    { promise, _, begun in promise.on(.main).asyncMap { begun.append($0, returning: 2) }.promise },
    { promise, clerk, begun in promise.asyncMap(isolatedTo: clerk) { begun.append($1, returning: 2) } },
    { promise, clerk, begun in promise.on(isolatedTo: clerk).asyncMap { begun.append($1, returning: 2) }.promise },
  ]

  // One at a time, because each blocks a thread on which Tasks run.
  @Test(
    "An async closure does not begin on an actor that was busy with the cancellation", .rule("2.5"), .serialized,
    arguments: asyncLinks.indices, [false, true])
  func busyActor(_ index: Int, byBag: Bool) async throws {
    let clerk = Clerk()
    let begun = Log<Int>()
    let deferred = Deferred<Int>()
    let derived = Self.asyncLinks[index](deferred.promise, clerk, begun)
    let bag = Locked<CancelBag?>(CancelBag())
    bag.withLock { $0.map { _ = derived.bound(to: $0) } }
    let cancel: @Sendable () -> Void = {
      deferred.fulfill(1)
      // The Task has begun, and waits for the actor, which is busy with this closure.
      while !"\(derived.causes)".contains("is running") { sched_yield() }
      // The hook that cancels the Task runs elsewhere if a bag is released.
      if byBag { bag.withLock { $0 = nil } } else { derived.cancel() }
    }
    if index < 3 { await MainActor.run(body: cancel) } else { await clerk.run(cancel) }
    try await derived.whenFinished().value
    #expect(begun.entries == [])
  }

  @Test("Each family has the expected number of operations that replace errors", .rule("2.5"))
  func complete() {
    let counts = Dictionary(grouping: FamilyCall.all.filter(Self.replacesErrors), by: \.family).mapValues(\.count)
    // The pool has no `asyncRecover` of its own, because that of PromiseCore takes no context.
    #expect(counts == [.core: 8, .pool: 6, .main: 8, .actor: 8, .onContext: 8, .onMain: 8, .onActor: 8])
  }
}
