import TestSupport
import Testing

@Suite("Observers that are detached", .leavingNothing) struct AttachedObserverTests {
  let context = ManualContext()
  let census = Tracked.Census()
  let log = Log<Int>()
  let deferred = Deferred<Int>()

  /// Attaches an observer that logs its number and captures a tracked object.
  private func observe(_ promise: Promise<Int>, on context: ManualContext? = nil, number: Int = 1) -> AttachedObserver {
    let payload = Tracked(census)
    return promise.attachObserver(on: context, handling: [.value, .error]) { [log] _, _ in
      withExtendedLifetime(payload) { log.append(number) }
      return .nothing
    }
  }

  @Test("A detached observer never runs, and its captures are released before the call returns", .rule("4.9"))
  func detach() {
    let observer = observe(deferred.promise)
    #expect(observer.detach())
    #expect(census.living == 0)
    #expect(!observer.detach())
    // The last consumer that is detached cancels nothing.
    #expect(deferred.fulfill(1))
    #expect(log.entries == [])
  }

  @Test("Detaching an observer that has run changes nothing", .rule("4.9"))
  func detachLate() {
    let observer = observe(deferred.promise)
    deferred.fulfill(1)
    #expect(log.entries == [1])
    #expect(census.living == 0)
    #expect(!observer.detach())
    #expect(!observe(deferred.promise).detach())
    #expect(log.entries == [1, 1])
    #expect(census.living == 0)
  }

  @Test("An observer on a context can be detached until it starts, and gets no job before the settlement", .rule("4.9"))
  func detachOnContext() {
    let observers = (1...3).map { observe(deferred.promise, on: context, number: $0) }
    observers[1].detach()
    deferred.fulfill(1)
    #expect(context.count == 2)
    context.step()
    #expect(!observers[0].detach())
    #expect(observers[2].detach())
    #expect(census.living == 0)
    context.runUntilIdle()
    #expect(log.entries == [1])
  }

  @Test("An observer counts as a consumer until it is detached", .rule("4.0", "4.4"), arguments: [false, true])
  func consumer(detached: Bool) {
    let shared = Deferred<Int>()
    let adopter = Deferred<Int>()
    adopter.follow(shared.promise)
    let observer = observe(shared.promise)
    if detached { observer.detach() }
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isCancelled == detached)
  }
}
