import PromiseCore
import TestSupport
import Testing

@Suite("Deferred: the owner")
struct DeferredTests {
  let deferred = Deferred<Int>()

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
    #expect(deferred.promise === deferred.promise)
  }

  @Test("follow returns true while the promise is pending, even a second and a third time")
  func followAnswers() {
    let inner = [Deferred<Int>(), Deferred<Int>()]
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
    deferred.promise.onSettled(on: context) { log.append(Seen($0)) }
    deferred.follow(inner.promise)
    #expect(deferred.reject(TestError(1)))
    #expect(inner.promise.isPending)
    #expect(inner.fulfill(2))
    context.runUntilIdle()
    #expect(log.entries == [.failed(1)])
    #expect(inner.promise.seen == .fulfilled(2))
  }
}
