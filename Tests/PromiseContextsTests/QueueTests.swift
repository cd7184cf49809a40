import Dispatch
import PromiseContexts
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

@Suite("Dispatch queues", .bounded)
struct QueueTests {
  /// The ways to name a queue as a context on which each handler has the queue to itself.
  enum Way: CaseIterable, Sendable {
    case queueItself, dotQueue

    func context(_ queue: DispatchQueue) -> any ExecutionContext {
      switch self {
      case .queueItself: queue
      case .dotQueue: .queue(queue)
      }
    }
  }

  @Test(
    "Each handler on a concurrent queue has the queue to itself, singly and in batches", .rule("2.7"),
    arguments: Way.allCases, [1, 100, 1_000])
  func barrier(_ way: Way, settlements: Int) async throws {
    let context = way.context(DispatchQueue(label: "concurrent", attributes: .concurrent))
    let unprotected = Unprotected()
    let owners = (0..<settlements).map { _ in Deferred<Int>() }
    let promises = (0..<1_000).map { number in
      owners[number % owners.count].promise.map(on: context) { value in
        unprotected.add(number)
        return value
      }
    }
    // Several threads settle the owners, so that only the barrier keeps the handlers apart.
    DispatchQueue.concurrentPerform(iterations: owners.count) { owners[$0].fulfill($0) }
    for promise in promises { _ = try await value(of: promise) }
    #expect(unprotected.sum == 499_500 && unprotected.most == 1)
  }

  @Test("A handler on a concurrent queue does not overlap other work of that queue", .rule("2.7"))
  func barrierAgainstOthers() async {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let (started, go) = (Gate(), Gate())
    let log = Log<String>()
    queue.async {
      started.open()
      go.wait("go")
      log.append("block")
    }
    started.wait("start of the block")
    let promise = Promise.fulfilled(1).tap(on: queue) { _ in log.append("handler") }
    queue.async { log.append("later block") }
    go.open()
    _ = await outcome(of: promise)
    queue.sync(flags: .barrier) {}
    #expect(log.entries == ["block", "handler", "later block"])
  }

  @Test(
    "Handlers run on their serial queue in order, whether attached before or after the settlement", .rule("2.2"),
    arguments: Way.allCases)
  func serial(_ way: Way) async {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "serial")
    queue.setSpecific(key: key, value: 7)
    let context = way.context(queue)
    let log = Log<Int>()
    let places = Log<Int?>()
    let deferred = Deferred<Int>()
    for number in 0..<50 { deferred.promise.onFulfilled(on: context) { _ in log.append(number) } }
    deferred.fulfill(1)
    for number in 50..<100 { deferred.promise.onFulfilled(on: context) { _ in log.append(number) } }
    let end = deferred.promise.map(on: context) { _ in places.append(DispatchQueue.getSpecific(key: key)) }
    _ = await outcome(of: end)
    #expect(log.entries == Array(0..<100))
    #expect(places.entries == [7])
  }

  @Test("A handler waits while its queue is busy and does not run inside the attaching call", .rule("2.1"))
  func busyQueue() async {
    let queue = DispatchQueue(label: "busy")
    let (started, go) = (Gate(), Gate())
    let log = Log<String>()
    queue.async {
      started.open()
      go.wait("go")
    }
    started.wait("start")
    let promise = Promise.fulfilled(1).tap(on: queue) { _ in log.append("handler") }
    log.append("attached")
    #expect(promise.isPending)
    go.open()
    _ = await outcome(of: promise)
    #expect(log.entries == ["attached", "handler"])
  }

  @Test(
    "Handlers of one settlement on one queue run in one block, with no other work of that queue between them",
    .rule("2.2"))
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

  @Test("Promise(on:) and Promise.run(on:) accept a queue")
  func making() async throws {
    let queue = DispatchQueue(label: "making")
    #expect(try await value(of: Promise<Int>(on: queue) { $0.fulfill(1) }) == 1)
    #expect(try await value(of: Promise.run(on: queue) { 2 }) == 2)
    #expect(await errorNumber(of: Promise<Int>.run(on: .queue(queue)) { throw TestError(3) }) == 3)
  }
}
