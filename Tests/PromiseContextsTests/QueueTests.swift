import Dispatch
import TestSupport
import Testing

/// A number without a lock. Only handlers that have a queue to themselves may use it.
private final class Unprotected: @unchecked Sendable {
  // `@unchecked`, because the tests check that handlers do not overlap.
  var sum = 0
  var inside = 0
  var most = 0

  func add(_ number: Int) {
    inside += 1
    most = max(most, inside)
    // This takes long enough for another handler to interfere if it may run.
    let before = sum
    for _ in 0..<500 where inside < 1 { most = .max }
    sum = before + number
    inside -= 1
  }
}

@Suite("Dispatch queues", .bounded) struct QueueTests {
  @Test(
    "Each handler on a concurrent queue has the queue to itself, singly and in batches", .rule("2.7"),
    arguments: [1, 100, 1_000])
  func barrier(settlements: Int) async throws {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let unprotected = Unprotected()
    let owners = (0..<settlements).map { _ in Deferred<Int>() }
    let promises = (0..<1_000).map { number in
      owners[number % owners.count].promise.map(on: queue) { value in
        unprotected.add(number)
        return value
      }
    }
    // Several threads settle the owners, so that only the barrier keeps the handlers apart.
    DispatchQueue.concurrentPerform(iterations: owners.count) { owners[$0].fulfill($0) }
    for promise in promises { _ = try await promise.value }
    #expect(unprotected.sum == 499_500)
    #expect(unprotected.most == 1)
  }

  @Test("Handlers run on their serial queue in order, whether attached before or after the settlement", .rule("2.2"))
  func serial() async {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "serial")
    queue.setSpecific(key: key, value: 7)
    let log = Log<Int>()
    let places = Log<Int?>()
    let deferred = Deferred<Int>()
    for number in 0..<50 { deferred.promise.onFulfilled(on: queue) { _ in log.append(number) } }
    deferred.fulfill(1)
    for number in 50..<100 { deferred.promise.onFulfilled(on: queue) { _ in log.append(number) } }
    let end = deferred.promise.map(on: queue) { _ in places.append(DispatchQueue.getSpecific(key: key)) }
    _ = try? await end.value
    #expect(log.entries == Array(0..<100))
    #expect(places.entries == [7])
  }

  @Test("Handlers of one settlement on one queue run in one block, with no other work between them", .rule("2.2"))
  func oneBlock() async {
    let queue = DispatchQueue(label: "serial")
    let log = Log<String>()
    let deferred = Deferred<Int>()
    deferred.promise.onFulfilled(on: queue) { _ in
      log.append("first")
      queue.async { log.append("block") }
    }
    deferred.promise.onFulfilled(on: queue) { _ in log.append("second") }
    deferred.fulfill(1)
    queue.sync {}
    queue.sync {}
    #expect(log.entries == ["first", "second", "block"])
  }

  @Test("Handlers on the main queue run in order, however the context is written", .rule("2.1", "2.2"))
  @MainActor func spellings() async throws {
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    let ends = [
      deferred.promise.tap(on: .main) { _ in log.append(1) },
      deferred.promise.tap(on: DispatchQueue.main) { _ in log.append(2) },
      deferred.promise.tap(on: .main) { _ in log.append(3) },
      deferred.promise.tap(on: .queue(.main)) { _ in log.append(4) },
      deferred.promise.tap(on: DispatchQueue.main) { _ in log.append(5) },
    ]
    deferred.fulfill(0)
    for end in ends { _ = try await end.value }
    #expect(log.entries == [1, 2, 3, 4, 5])
    let others = [DispatchQueue(label: "a"), DispatchQueue(label: "a")]
    #expect(others[0].identity != others[1].identity)
  }

  @Test("A closure on the main actor that throws or refuses rejects the promise", .rule("2.3"))
  @MainActor func throwing() async {
    let thrown = Promise.fulfilled(1).map(on: .main, to: Int.self) { _ in throw TestError(6) }
    let refused = Promise.fulfilled(1).validate(on: .main) { $0 == 2 }
    await #expect(throws: TestError(6)) { try await thrown.value }
    await #expect(throws: PromiseError.self) { try await refused.value }
  }
}
