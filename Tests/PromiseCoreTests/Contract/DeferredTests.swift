import PromiseCore
import TestSupport
import Testing

@Suite("Deferred: the owner")
struct DeferredTests {
  @Test("Each settling method returns true, and the attached handlers run")
  func methods() {
    let context = ManualContext()
    let log = Log<Seen<Int>>()
    let owners = (0..<4).map { _ in Deferred<Int>() }
    for owner in owners { owner.promise.onSettled(on: context) { log.append(Seen($0)) } }
    #expect(owners[0].fulfill(1))
    #expect(owners[1].reject(TestError(2)))
    #expect(owners[2].settle(.success(3)))
    #expect(owners[3].settle(.failure(TestError(4))))
    context.runUntilIdle()
    #expect(log.entries == [.fulfilled(1), .failed(2), .fulfilled(3), .failed(4)])
  }

  @Test("fulfill() settles an owner of Void once")
  func fulfillVoid() {
    let deferred = Deferred<Void>()
    #expect(deferred.fulfill())
    #expect(!deferred.fulfill())
    #expect(!deferred.fulfill(()))
    #expect(deferred.promise.isFulfilled)
  }

  @Test("Promise.deferred() makes an owner that records the place of the call")
  func namedFactory() {
    var deferred: Deferred<Int>? = Promise<Int>.deferred(line: 321)
    let promise = deferred?.promise
    #expect(promise?.isPending == true)
    deferred = nil
    #expect(promise?.seen == .rejected(.broken(321)))
  }

  @Test("An owner always returns the same promise")
  func samePromise() {
    let deferred = Deferred<Int>()
    #expect(deferred.promise === deferred.promise)
  }

  @Test("follow returns true while the promise is pending, even a second and a third time")
  func followAnswers() {
    let inner = [Deferred<Int>(), Deferred<Int>()]
    let deferred = Deferred<Int>()
    #expect(deferred.follow(inner[0].promise))
    #expect(deferred.follow(inner[1].promise))
    #expect(deferred.follow(inner[0].promise))
    #expect(deferred.promise.isPending)
    #expect(inner[1].fulfill(1))
    #expect(deferred.promise.seen == .fulfilled(1))
    #expect(!deferred.follow(inner[0].promise))
    #expect(inner[0].fulfill(2))
    #expect(deferred.promise.seen == .fulfilled(1))
  }

  @Test("An owner may settle its promise while following, and the followed promise goes on alone")
  func settlingWhileFollowing() {
    let context = ManualContext()
    let log = Log<Seen<Int>>()
    let inner = Deferred<Int>()
    let deferred = Deferred<Int>()
    deferred.promise.onSettled(on: context) { log.append(Seen($0)) }
    deferred.follow(inner.promise)
    #expect(deferred.reject(TestError(1)))
    #expect(inner.promise.isPending)
    #expect(inner.fulfill(2))
    context.runUntilIdle()
    #expect(log.entries == [.failed(1)])
    #expect(inner.promise.seen == .fulfilled(2))
  }

  @Test("No method of the owner runs a handler inside the call", .rule("2.1"))
  func neverInsideTheCall() {
    let context = ManualContext()
    let log = Log<Int>()
    for act in StateTests.Act.allCases {
      let deferred = Deferred<Int>()
      deferred.promise.onSettled(on: context) { _ in log.append(1) }
      _ = act.perform(on: deferred, 1)
      #expect(log.entries.isEmpty)
      #expect(context.count == 1)
      context.dropAll()
    }
  }

  @Test("An owner may settle inside a handler, even a handler of its own promise", .rule("2.1"))
  func settlingInsideHandlers() {
    let context = ManualContext()
    let log = Log<Bool>()
    let next = Deferred<Int>()
    let deferred = Deferred<Int>()
    deferred.promise.onFulfilled(on: context) {
      log.append(deferred.fulfill($0 + 1))
      log.append(next.fulfill($0 + 1))
    }
    let derived = next.promise.map(on: context) { $0 + 1 }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == [false, true])
    #expect(derived.seen == .fulfilled(3))
  }
}
