import PromiseCore
import TestSupport
import Testing

@Suite("Await: lifetime", .leavingNothing)
struct AwaitLifetimeTests {
  let executor = ManualExecutor()
  let census = Tracked.Census()

  @Test(
    "10,000 Tasks that await the same promise or one promise each resume in order and leave nothing behind",
    .rule("6.1"), arguments: [true, false])
  func manyTasks(isShared: Bool) {
    let log = Log<Int>()
    do {
      let owners = (0..<(isShared ? 1 : 10_000)).map { _ in Deferred<Tracked>() }
      for number in 0..<10_000 {
        let captured = Tracked(census)
        Task(executorPreference: executor) { [promise = owners[number % owners.count].promise] in
          withExtendedLifetime((captured, try? await promise.value)) { log.append(number) }
        }
      }
      executor.runUntilIdle()
      #expect(census.living == 10_000)
      for owner in owners { owner.fulfill(Tracked(census)) }
      executor.runUntilIdle()
      #expect(log.entries == Array(0..<10_000))
      // Only the promises retain their values.
      #expect(census.living == owners.count)
      withExtendedLifetime(owners) {}
    }
    #expect(census.living == 0)
  }

  @Test("A cancelled Task releases its captures once it has thrown, even if the promise is still pending", .rule("4.9"))
  func cancelledTask() {
    let deferred = Deferred<Int>()
    let captured = Tracked(census)
    let task = Task(executorPreference: executor) { [promise = deferred.promise] in
      withExtendedLifetime((captured, try? await promise.value)) {}
    }
    _ = consume captured
    executor.runUntilIdle()
    #expect(census.living == 1)
    task.cancel()
    executor.runUntilIdle()
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
  }
}
