import TestSupport
import Testing

@Suite("What still runs behind a settled promise", .leavingNothing, .rule("2.11")) struct UnfinishedWaitTests {
  private let context = ManualContext()
  private let owner = Deferred<Int>(fileID: "M/F", line: 1)
  private let stopped = Deferred<Void>(fileID: "M/F", line: 9)

  /// Returns the lines that describe for what a promise waits. A release build does not know the contexts of handlers.
  private func waits(of promise: AnyPromise) -> [String] {
    promise.waitsFor.flatMap { $0.description.split(separator: "\n") }.map { line in
      String(line.split(separator: " on a ")[0])
    }
  }

  @Test("A hook that never ends is named with its place, until its promise has finished", .rule("4.5"))
  func hook() {
    owner.onCancelThen(on: context, fileID: "M/F", line: 2) { [stopped] _ in stopped.promise }
    let link = owner.promise.map(on: context, fileID: "M/F", line: 3) { $0 }
    owner.promise.cancel()
    #expect(owner.promise.waitsFor.map(\.kind) == [.hook])
    #expect(owner.promise.waitsFor.first?.createdAt?.line == 2)
    let hook = "a hook that was registered at M/F:2"
    #expect(waits(of: owner.promise) == ["waits for \(hook)"])
    #expect(
      waits(of: link) == [
        "waits for the promise of M/F:1, which is settled and has not finished", "  waits for \(hook)",
      ])
    context.runUntilIdle()
    let ending = [
      "waits for \(hook)", "  waits for Promise<()>, M/F:9",
      "    waits for its owner, made at M/F:9, which is alive and has not settled it",
    ]
    #expect(waits(of: owner.promise) == ending)
    let lines = owner.promise.debugDescription.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(
      lines[1]
        == "  cause: the owner of Promise<()> made at M/F:9, which is alive and has not settled it; 2 promises wait for it"
    )
    stopped.fulfill()
    #expect(owner.promise.waitsFor.isEmpty)
    #expect(link.waitsFor.isEmpty)
  }

  @Test("A hook that runs for every ending is named after a value, and a promise of the hook that was cancelled, too")
  func nestedHooks() {
    let inner = Deferred<Void>(fileID: "M/F", line: 4)
    stopped.onCancelThen(fileID: "M/F", line: 3) { _ in inner.promise }
    owner.onEndThen(on: context, fileID: "M/F", line: 2) { [stopped] _ in stopped.promise }
    owner.fulfill(1)
    context.runUntilIdle()
    stopped.promise.cancel()
    #expect(
      waits(of: owner.promise) == [
        "waits for a hook that was registered at M/F:2",
        "  waits for Promise<()>, M/F:9, which is settled and has not finished",
        "    waits for a hook that was registered at M/F:3, which has not ended",
        "      waits for Promise<()>, M/F:4",
        "        waits for its owner, made at M/F:4, which is alive and has not settled it",
      ])
    inner.fulfill()
    #expect(owner.promise.waitsFor.isEmpty)
  }

  @Test("A plain hook that has not run is named with its context")
  func plainHook() {
    owner.onCancel(on: context) { _ in }
    owner.promise.cancel()
    #expect(waits(of: owner.promise) == ["waits for a hook"])
    #expect(owner.promise.waitsFor.first?.summary.hasPrefix("a hook on a ManualContext") == true)
    context.runUntilIdle()
    #expect(owner.promise.waitsFor.isEmpty)
  }

  @Test("A running handler is named, even if the promise between was released")
  func runningHandler() {
    let seen = Log<[String]>()
    let last = Kept<Promise<Void>>()
    last.value = owner.promise.map(on: context, fileID: "M/F", line: 2) { value in
      last.value?.cancel(upstream: true)
      if let promise = last.value { seen.append(waits(of: promise)) }
      last.value = nil
      return value
    }
    .labeled("total").asVoid(fileID: "M/F", line: 3).map(on: context, fileID: "M/F", line: 4) {}
    owner.fulfill(1)
    context.runUntilIdle()
    #expect(
      seen.entries == [
        [
          "waits for the promise of asVoid at M/F:3, which is settled and has not finished",
          "  waits for the promise \"total\" of map at M/F:2, which is settled and has not finished",
          "    waits for the handler of map at M/F:2, which is running",
        ]
      ])
  }

  @Test("A Task that ignores its cancellation is named")
  func task() async throws {
    let gate = Deferred<Int>()
    let begun = Deferred<Void>()
    let promise = Promise.task(fileID: "M/F", line: 2) {
      begun.fulfill()
      return await Task.detached { (try? await gate.promise.value) ?? 0 }.value
    }
    let link = promise.asVoid(fileID: "M/F", line: 3)
    try await begun.promise.value
    let identity = promise.causes.first?.id
    promise.cancel()
    let task = "waits for its Task, made at M/F:2, which is running"
    #expect(waits(of: promise) == [task])
    #expect(promise.waitsFor.first?.kind == .task)
    #expect(link.causes.map(\.kind) == [.task])
    #expect(link.causes.first?.id == identity)
    gate.fulfill(1)
    try await promise.whenFinished().value
    #expect(promise.waitsFor.isEmpty)
  }

  /// The search for rings does not find this ring, because neither thread has written its part when the other looks.
  @Test("Two hooks that begin to wait for each other's promises at the same moment are a cause", .rule("3.2"))
  func ringOfHooks() {
    for _ in 0..<1_000 {
      _ = Reports.unhandled {
        let owners = (1...2).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
        let contexts = owners.map { _ in ManualContext() }
        let finishes = Log<Promise<Void>>()
        for (number, owner) in owners.enumerated() {
          let other = owners[1 - number].promise
          owner.onCancelThen(on: contexts[number]) { [weak other] _ in
            let finish = other?.whenFinished() ?? .fulfilled()
            return finishes.append(finish, returning: finish)
          }
        }
        let link = owners[0].promise.map(on: context) { $0 }
        for owner in owners { owner.promise.cancel() }
        race(contexts.map { context in { context.runUntilIdle() } })
        #expect(link.isFinished || link.causes.map(\.kind) == [.promise])
        // Ends the ring.
        for finish in finishes.entries { finish.cancel() }
        #expect(link.isFinished)
      }
    }
  }

  @Test("A cleanup is named before it begins, while it is queued, and until its promise has finished", .rule("2.10"))
  func cleanup() {
    let ends = (1...2).map { Deferred<Void>(fileID: "M/E", line: UInt($0)) }
    let first = owner.promise.alwaysThen(on: context, fileID: "M/F", line: 2) { _ in ends[0].promise }
    let second = first.alwaysThen(on: context, fileID: "M/F", line: 3) { _ in ends[1].promise }
    second.cancel(upstream: true)
    #expect(waits(of: first) == ["waits for the cleanup of alwaysThen at M/F:2, which is queued"])
    let own = "waits for the cleanup of alwaysThen at M/F:3, which has not begun"
    #expect(waits(of: second).contains(own))
    context.runUntilIdle()
    let ending = [
      "waits for the cleanup of alwaysThen at M/F:2, which has not ended", "  waits for Promise<()>, M/E:1",
      "    waits for its owner, made at M/E:1, which is alive and has not settled it",
    ]
    #expect(waits(of: first) == ending)
    #expect(waits(of: second).contains(own))
    #expect(Set(second.causes.map(\.kind)) == [.handler, .owner])
    ends[0].fulfill()
    context.runUntilIdle()
    #expect(first.waitsFor.isEmpty)
    #expect(second.causes.map(\.createdAt?.fileID) == ["M/E"])
    ends[1].fulfill()
    #expect(second.waitsFor.isEmpty)
  }

  @Test("A promise for the finish shows the promise for which it waits, and then what still runs there")
  func whenFinished() {
    owner.onCancelThen(on: context, fileID: "M/F", line: 2) { [stopped] _ in stopped.promise }
    let finish = owner.promise.whenFinished(fileID: "M/F", line: 3)
    #expect(finish.waitsFor.map(\.createdAt?.line) == [1])
    #expect(finish.causes.map(\.kind) == [.owner])
    owner.promise.cancel()
    #expect(finish.causes.map(\.kind) == [.hook])
    context.runUntilIdle()
    #expect(finish.causes.map(\.createdAt?.line) == [9])
    stopped.fulfill()
    #expect(finish.isFulfilled)
    #expect(finish.waitsFor.isEmpty)
  }

  private final class Kept<Value: Sendable>: @unchecked Sendable { var value: Value? }
}
