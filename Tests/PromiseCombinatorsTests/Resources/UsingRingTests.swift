import PromiseCombinators
import TestSupport
import Testing

@Suite("Releases that wait for themselves, or for work that goes on", .leavingNothing, .rule("2.11", "3.2"))
struct UsingRingTests {
  private final class Kept: @unchecked Sendable { var promise: Promise<Int>? }

  @Test("A using whose release waits for the work inside names that work")
  func workInside() {
    let context = ManualContext()
    let stopped = Deferred<Void>(fileID: "M/F", line: 9)
    let used = Deferred<Int>(fileID: "M/F", line: 1)
    used.onCancelThen(fileID: "M/F", line: 3) { _ in stopped.promise }
    @Sendable func acquire() -> Promise<String> { .fulfilled("resource") }
    @Sendable func release(_ resource: String) -> Promise<Void> { .fulfilled() }
    let result = Promise.using(acquire, release: release, on: context) { _ in used.promise }
    context.runUntilIdle()
    result.cancel()
    let owners = result.causes.filter { $0.kind == .owner }
    #expect(owners.map(\.createdAt?.line) == [9])
    #expect(result.debugDescription.contains("a hook that was registered at M/F:3"))
    stopped.fulfill()
    context.runUntilIdle()
    #expect(result.isFinished)
  }

  @Test("A release that waits for the finish of its own using fails", arguments: [false, true])
  func release(isCancelled: Bool) {
    let context = ManualContext()
    let result = Kept()
    let used = Deferred<Int>(fileID: "M/F", line: 1)
    let released = Log<Promise<Void>>()
    @Sendable func release(_ resource: String) -> Promise<Void> {
      let promise = Promise.fulfilled().then(on: context, fileID: "M/F", line: 3) {
        result.promise?.whenFinished() ?? .rejected(TestError(99))
      }
      released.append(promise)
      return promise
    }
    @Sendable func acquire() -> Promise<String> { .fulfilled("resource") }
    result.promise = Promise.using(acquire, release: release, on: context) { _ in used.promise }
    context.runUntilIdle()
    if isCancelled { result.promise?.cancel() } else { used.fulfill(1) }
    context.runUntilIdle()
    #expect(result.promise?.isFinished == true)
    #expect(result.promise?.isCancelled == isCancelled)
    #expect(released.entries.first?.failure?.code == .cycle)
    if !isCancelled { #expect(result.promise?.failure?.code == .cycle) }
    result.promise = nil
  }
}
