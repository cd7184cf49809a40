import Foundation
import PromiseRecording
import TestSupport
import Testing

/// The process has a single register. So each test makes its promises in a made-up file of its own, and counts only
/// promises of that file.
///
/// A look at the register retains the promises of all tests for a moment. A world that is checked at that moment reports
/// that they are still alive, so `make` runs this suite alone.
@Suite("The register of pending promises", .serialized) struct PendingRegisterTests {
  private let context = ManualContext()

  private func registering<Result>(_ body: () throws -> Result) rethrows -> Result {
    Diagnostics.recordsPendingPromises = true
    defer { Diagnostics.recordsPendingPromises = false }
    return try body()
  }

  private func groups(at file: String) -> [PendingPromises.Group] {
    Diagnostics.pending().groups.filter { $0.createdAt.fileID == file }
  }

  @Test("The register counts pending promises by place and operator, with their most frequent labels")
  func groups() {
    let owners = registering {
      let owners = (0..<3).map { _ in Deferred<Int>(label: "answer", fileID: "R/Groups", line: 1) }
      for owner in owners { _ = owner.promise.map(on: context, fileID: "R/Groups", line: 2) { $0 } }
      owners[0].promise.onFulfilled(on: context) { _ in }
      return owners
    }
    let groups = groups(at: "R/Groups").sorted { $0.createdAt.line < $1.createdAt.line }
    #expect(groups.map(\.count) == [3, 3])
    #expect(groups.map { $0.labels.map(\.text) } == [["answer"], []])
    #expect(groups.map { $0.labels.map(\.count) } == [[3], []])
    #expect(groups.map(\.operation) == [nil, "map"])
    owners[0].fulfill(1)
    context.runUntilIdle()
    #expect(self.groups(at: "R/Groups").map(\.count) == [2, 2])
    withExtendedLifetime(owners) {}
  }

  @Test("A thousand requests of one line with labels of their own are one group, and have one cause")
  func manyLabels() throws {
    let time = Locked(Duration.seconds(-1_000_000))
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    let refresh = registering { Deferred<Int>(label: "refresh", fileID: "R/Many", line: 1) }
    let requests = registering {
      (0..<1_000).map { number in
        refresh.promise.map(on: context, fileID: "R/Many", line: 2) { $0 }
          .labeled(number < 3 ? "GET /home" : "GET /item?id=\(number)")
      }
    }
    time.withLock { $0 += .seconds(20) }
    let pending = Diagnostics.pending(olderThan: .seconds(20))
    let group = try #require(pending.groups.first { $0.createdAt.line == 2 && $0.createdAt.fileID == "R/Many" })
    #expect(group.count == 1_000)
    #expect(group.labelCount == 998)
    #expect(group.labels.first?.text == "GET /home")
    #expect(group.labels.first?.count == 3)
    let text = """
        1000 made by map at R/Many:2, the oldest 20.0 seconds ago
          labels: "GET /home" (3), "GET /item?id=10" (1), "GET /item?id=100" (1), "GET /item?id=101" (1), … 994 more
      """
    #expect(pending.description.contains(text), "\(pending.description.prefix(2_000))")
    // Other tests have promises in the register meanwhile, so the cause may not be the first.
    let cause = try #require(pending.causes.first { $0.createdAt?.fileID == "R/Many" })
    #expect(
      cause.description == """
        the owner of Promise<Int> "refresh" made at R/Many:1, which is alive and has not settled it; 1001 promises wait for it; \
        pending for 20.0 seconds
        """)
    #expect(pending.description.hasPrefix("cause: "))
    let causes = Diagnostics.causes().filter { $0.label == "refresh" && $0.createdAt?.fileID == "R/Many" }
    #expect(causes.map(\.promiseCount) == [1_001])
    #expect(causes.first?.id == cause.id)
    #expect(pending.oldest.count { $0.createdAt?.fileID == "R/Many" } == 1, "the oldest stands for all with its cause")
    refresh.fulfill(1)
    context.runUntilIdle()
    withExtendedLifetime(requests) {}
  }

  @Test("The register shows the oldest promise of each hang, at most two of a place, and not eight links of one chain")
  func differentCauses() {
    let time = Locked(Duration.seconds(-1_000_000))
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    let first = registering { Deferred<Int>(fileID: "R/Chain", line: 1) }
    var last = first.promise
    time.withLock { $0 += .seconds(1) }
    for line in 2...20 {
      last = registering { last.map(on: context, fileID: "R/Chain", line: UInt(line)) { $0 } }
    }
    time.withLock { $0 += .seconds(1) }
    let requests = registering { (0..<9).map { _ in Deferred<Int>(fileID: "R/Chain", line: 50) } }
    time.withLock { $0 += .seconds(1) }
    let other = registering { Deferred<Int>(label: "dialog", fileID: "R/Chain", line: 99) }
    let oldest = Diagnostics.pending().oldest.filter { $0.createdAt?.fileID == "R/Chain" }
    #expect(oldest.map(\.createdAt?.line) == [1, 50, 50, 99])
    last.cancel(upstream: true)
    withExtendedLifetime((first, requests, other)) {}
  }

  @Test("Of promises that wait for the same two causes, the register shows the oldest alone")
  func sameCauses() {
    let time = Locked(Duration.seconds(-1_000_000))
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    let owners = (1...5).map { line in
      time.withLock { $0 += .seconds(1) }
      return registering { Deferred<Int>(fileID: "R/Same", line: UInt(line)) }
    }
    for follower in owners[2...] { for owner in owners[..<2] { follower.follow(owner.promise) } }
    let oldest = Diagnostics.pending().oldest.filter { $0.createdAt?.fileID == "R/Same" }
    #expect(oldest.map(\.createdAt?.line) == [1, 2, 3])
    for owner in owners[..<2] { owner.fulfill(1) }
  }

  @Test("A promise leaves the register when it is settled, cancelled, deallocated or collapsed", arguments: 0..<5)
  func leaving(_ way: Int) {
    let file: StaticString = "R/Leaving"
    let owner = registering { Deferred<Int>(fileID: file, line: 1) }
    let derived = registering { owner.promise.map(on: context, fileID: file, line: 2) { $0 } }
    #expect(groups(at: "R/Leaving").count == 2)
    switch way {
    case 0: owner.fulfill(1)
    case 1: owner.reject(CancellationError())
    case 2: derived.cancel(upstream: true)
    case 3:
      let other = Deferred<Int>()
      owner.follow(other.promise)
      other.fulfill(1)
    default:
      registering { _ = Deferred<Int>(fileID: file, line: 3) }
      owner.fulfill(1)
    }
    context.runUntilIdle()
    #expect(groups(at: "R/Leaving").isEmpty)
    withExtendedLifetime((owner, derived)) {}
  }

  @Test("The register excludes promises that are settled from the start or made while it is off")
  func absent() {
    let promises = registering { [Promise.fulfilled(1, fileID: "R/Absent", line: 1)] }
    let owner = Deferred<Int>(fileID: "R/Absent", line: 2)
    #expect(groups(at: "R/Absent").isEmpty)
    #expect(owner.promise.waitsFor.first?.age == nil)
    withExtendedLifetime(promises) {}
  }

  @Test("Ages come from the clock, and the register lists the oldest promises first, with the owners they wait for")
  func ages() throws {
    let time = Locked(Duration.zero)
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    // Makes the promise older than nearly all promises of concurrent tests.
    time.withLock { $0 = .seconds(-1_000_000) }
    let old = registering { Deferred<Int>(label: "old", fileID: "R/Ages", line: 1) }
    time.withLock { $0 = .seconds(-999_990) }
    let new = registering { Deferred<Int>(fileID: "R/Ages", line: 2) }
    time.withLock { $0 = .seconds(-999_980) }
    let pending = Diagnostics.pending(olderThan: .seconds(20))
    #expect(pending.groups.filter { $0.createdAt.fileID == "R/Ages" }.map(\.createdAt.line) == [1])
    let oldest = try #require(Diagnostics.pending().oldest.first { $0.label == "old" })
    #expect(oldest.age == .seconds(20))
    #expect(oldest.waitsFor.map(\.kind) == [.owner])
    #expect(new.promise.waitsFor.first?.age == .seconds(10))
    #expect(
      pending.description.contains(
        """
        Promise<Int> "old", R/Ages:1
          waits for its owner, made at R/Ages:1, which is alive and has not settled it
        """))
    withExtendedLifetime(old) {}
  }

  @Test("A cause that is a queued handler says for how long it has been queued, if both promises are registered")
  func queued() throws {
    let time = Locked(Duration.seconds(-1_000_000))
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    let (owner, first) = registering {
      let owner = Deferred<Int>(fileID: "R/Queued", line: 1)
      return (owner, owner.promise.map(on: context, fileID: "R/Queued", line: 2) { $0 })
    }
    #expect(first.causes.map(\.queuedFor) == [nil])
    time.withLock { $0 += .seconds(5) }
    owner.fulfill(1)
    time.withLock { $0 += .seconds(20) }
    let second = registering { owner.promise.map(on: context, fileID: "R/Queued", line: 3) { $0 } }
    time.withLock { $0 += .seconds(1) }
    #expect(first.causes.map(\.queuedFor) == [.seconds(21)])
    #expect(second.causes.map(\.queuedFor) == [.seconds(1)])
    let either = Deferred<Int>()
    either.follow(second)
    either.follow(first)
    #expect(either.promise.causes.map(\.queuedFor) == [.seconds(21)])
    #expect(first.causes.description.hasSuffix("; pending for 26.0 seconds; queued for 21.0 seconds"))
    let data = try JSONEncoder().encode(first.causes)
    #expect(String(decoding: data, as: UTF8.self).contains(#""queuedForInSeconds":21"#))
    // The time at which an unregistered promise was settled is not known.
    let unregistered = Deferred<Int>()
    let third = registering { unregistered.promise.map(on: context) { $0 } }
    unregistered.fulfill(1)
    #expect(third.causes.map(\.queuedFor) == [nil])
    context.runUntilIdle()
    #expect(first.causes.isEmpty)
  }

  @Test("The register counts promises apart that are settled and have not finished, until they have", .rule("2.11"))
  func unfinished() throws {
    let time = Locked(Duration.seconds(-1_000_000))
    let earlier = PendingRegister.setClock { time.withLock { $0 } }
    defer { _ = PendingRegister.setClock(earlier) }
    func groups() -> [PendingPromises.Group] {
      let groups = Diagnostics.pending(olderThan: .seconds(20)).unfinishedGroups
      return groups.filter { $0.createdAt.fileID == "R/Unfinished" }.sorted { $0.createdAt.line < $1.createdAt.line }
    }
    let stopped = Deferred<Void>()
    let owner = registering { Deferred<Int>(label: "upload", fileID: "R/Unfinished", line: 1) }
    owner.onCancelThen(fileID: "R/Unfinished", line: 2) { _ in stopped.promise }
    time.withLock { $0 += .seconds(1) }
    // No client retains these.
    registering { for _ in 0..<3 { _ = owner.promise.map(on: context, fileID: "R/Unfinished", line: 3) { $0 } } }
    time.withLock { $0 += .seconds(20) }
    #expect(groups().isEmpty)
    owner.promise.cancel()
    #expect(self.groups(at: "R/Unfinished").isEmpty)
    #expect(groups().map(\.count) == [1, 3])
    #expect(groups().map { $0.labels.map(\.text) } == [["upload"], []])
    #expect(groups().map(\.operation) == [nil, "map"])
    let pending = Diagnostics.pending(olderThan: .seconds(20))
    #expect(pending.unfinishedCount >= 4)
    let node = try #require(pending.oldestUnfinished.first { $0.label == "upload" })
    #expect(node.age == .seconds(21))
    #expect(owner.promise.whenFinished().waitsFor.first?.age == .seconds(21))
    #expect(
      pending.description.contains(
        """
        the promise "upload" of R/Unfinished:1, which is settled and has not finished
          waits for a hook that was registered at R/Unfinished:2, which has not ended
        """))
    #expect(pending.description.contains("promises are settled and not finished:"))
    #expect(pending.description.contains("  3 made by map at R/Unfinished:3, the oldest 20.0 seconds ago"))
    stopped.fulfill()
    #expect(groups().isEmpty)
    #expect(Diagnostics.pending().oldestUnfinished.allSatisfy { $0.label != "upload" })
  }

  @Test("A watch calls its hook for a promise that is settled and has not finished in time", .rule("2.11"))
  func watchOfUnfinished() throws {
    let world = TestWorld()
    let earlier = PendingRegister.setClock { world.clock.elapsed - .seconds(1_000_000) }
    defer { _ = PendingRegister.setClock(earlier) }
    let calls = Log<Int>()
    let watch = world.run {
      Diagnostics.onPending(longerThan: .seconds(60)) { pending in
        calls.append(pending.unfinishedGroups.count { $0.createdAt.fileID == "R/WatchUnfinished" })
      }
    }
    let stopped = Deferred<Void>()
    let owner = registering { Deferred<Int>(fileID: "R/WatchUnfinished", line: 1) }
    owner.onCancelThen { _ in stopped.promise }
    owner.promise.cancel()
    world.advance(by: .seconds(75))
    #expect(calls.entries == [1])
    watch.cancel()
    stopped.fulfill()
  }

  @Test("A watch calls its hook once for each promise that exceeds the limit, until it is cancelled")
  func watch() throws {
    let world = TestWorld()
    let earlier = PendingRegister.setClock { world.clock.elapsed - .seconds(1_000_000) }
    defer { _ = PendingRegister.setClock(earlier) }
    let calls = Log<[Int]>()
    @Sendable func lines(_ pending: PendingPromises) -> [Int] {
      pending.groups.filter { $0.createdAt.fileID == "R/Watch" }.map(\.createdAt.line).sorted()
    }
    let watch = world.run { Diagnostics.onPending(longerThan: .seconds(60)) { calls.append(lines($0)) } }
    let first = registering { Deferred<Int>(fileID: "R/Watch", line: 1) }
    world.advance(by: .seconds(59))
    #expect(calls.entries.isEmpty)
    let second = registering { Deferred<Int>(fileID: "R/Watch", line: 2) }
    world.advance(by: .seconds(46))
    #expect(calls.entries == [[1]])
    world.advance(by: .seconds(60))
    #expect(calls.entries == [[1], [1, 2]])
    first.fulfill(1)
    watch.cancel()
    let third = registering { Deferred<Int>(fileID: "R/Watch", line: 3) }
    world.advance(by: .seconds(600))
    #expect(calls.entries.count == 2)
    withExtendedLifetime((second, third)) {}
  }

  @Test("A watch notices promises that exceed the limit while the clock of its timers stands still")
  func timersStandStill() throws {
    let world = TestWorld()
    let age = Locked(Duration.zero)
    let earlier = PendingRegister.setClock { age.withLock { $0 } - .seconds(1_000_000) }
    defer { _ = PendingRegister.setClock(earlier) }
    let calls = Log<Int>()
    let watch = world.run {
      Diagnostics.onPending(longerThan: .seconds(60)) { pending in
        calls.append(pending.groups.count { $0.createdAt.fileID == "R/Sleep" })
      }
    }
    let owner = registering { Deferred<Int>(fileID: "R/Sleep", line: 1) }
    world.advance(by: .seconds(15))
    #expect(calls.entries.isEmpty)
    age.withLock { $0 = .seconds(3_600) }
    world.advance(by: .seconds(15))
    #expect(calls.entries == [1])
    watch.cancel()
    withExtendedLifetime(owner) {}
  }

  @Test("A watch prints one notice if the register is off, and none while it is on")
  func registerIsOff() throws {
    let world = TestWorld()
    let lines = Log<String>()
    let notice = RegisterNotice { lines.append($0) }
    // No promise of another test is so old.
    let limit = Duration.seconds(1_000_000_000)
    let watch = world.run { PendingWatch(limit: limit, on: world.clock, notice: notice) { _ in } }
    registering { _ = world.advance(by: limit / 4) }
    #expect(lines.entries.isEmpty)
    world.advance(by: limit)
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("`Diagnostics.recordsPendingPromises` is off") == true)
    watch.cancel()
  }

  /// Timers that cannot be cancelled.
  private final class StubbornTimers: TimerContext {
    private final class Timer: ScheduledTimer {
      func cancel() -> Bool { false }
    }

    let actions = Log<@Sendable () -> Void>()
    let elapsed = Duration.zero

    func schedule(
      after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledTimer {
      actions.append(action)
      return Timer()
    }
  }

  @Test("A watch that is cancelled or released calls no hook, even if its timer fires, and leaves no timer behind")
  func cancelledWatch() throws {
    try TestWorld.run { world in
      let timers = StubbornTimers()
      let calls = Log<Void>()
      let watch = Diagnostics.onPending(longerThan: .milliseconds(1), timers: timers) { _ in calls.append(()) }
      _ = Diagnostics.onPending(longerThan: .seconds(60)) { _ in calls.append(()) }
      let owner = registering { Deferred<Int>(fileID: "R/Cancelled", line: 1) }
      let earlier = PendingRegister.setClock { .seconds(1_000_000) }
      defer { _ = PendingRegister.setClock(earlier) }
      watch.cancel()
      for action in timers.actions.entries { action() }
      world.advance(by: .seconds(600))
      #expect(calls.entries.isEmpty)
      #expect(timers.actions.entries.count == 1)
      owner.fulfill(1)
    }
  }

  @Test("While the register is on, the context of a queued handler is known in every build but not retained")
  func contexts() {
    weak var released: ManualContext?
    registering {
      let context = ManualContext()
      released = context
      let mapped = Promise.fulfilled(1).map(on: context, fileID: "R/Contexts", line: 1) { $0 }
      #expect(
        mapped.waitsFor.map(\.summary) == ["the handler of map at R/Contexts:1, which is queued on a ManualContext"])
      context.runUntilIdle()
    }
    #expect(released == nil)
  }

  @Test(
    "Threads that make and settle promises do not disturb a look at the register, and all their promises leave it",
    .bounded)
  func threads() async {
    let ended = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      Diagnostics.recordsPendingPromises = true
      // Pending throughout, so that each look must find it.
      let kept = Deferred<Int>(fileID: "R/Threads", line: 3)
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<2_000 {
            let owner = Deferred<Int>(fileID: "R/Threads", line: 1)
            let derived = owner.promise.asVoid(fileID: "R/Threads", line: 2)
            owner.fulfill(1)
            withExtendedLifetime(derived) {}
          }
          _ = ended.increment()
        }
      }
      var most = 0
      var missed = 0
      repeat {
        let groups = groups(at: "R/Threads")
        most = max(most, groups.reduce(0) { $0 + $1.count })
        if !groups.contains(where: { $0.createdAt.line == 3 && $0.count == 1 }) { missed += 1 }
        await Task.yield()
      } while ended.withLock({ $0 }) < 3
      #expect(most <= 7)
      #expect(missed == 0)
      kept.fulfill(1)
    }
    Diagnostics.recordsPendingPromises = false
    #expect(groups(at: "R/Threads").isEmpty)
  }
}
