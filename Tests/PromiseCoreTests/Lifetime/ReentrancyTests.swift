import PromiseCore
import TestSupport
import Testing

/// Calls its closure when it is released: user code in a `deinit`.
private final class AtEnd: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}

@Suite("User code in deinit")
struct ReentrancyTests {
  let context = ManualContext()

  @Test("rule 6.5: a capture's deinit may use the very promise it was released by", arguments: LinkKind.allCases)
  func captures(_ kind: LinkKind) {
    for settlement in Settlement.allCases {
      let log = Log<Seen<Int>>()
      let context = context
      let deferred = Deferred<Int>()
      let promise = deferred.promise
      do {
        let end = AtEnd {
          log.append(promise.seen)
          promise.onSettled(on: context) { log.append(Seen($0)) }
          _ = deferred.fulfill(7)
        }
        _ = kind.attach(to: promise, on: context, giving: 2) { withExtendedLifetime(end) {} }
      }
      deferred.settle(settlement.result)
      context.runUntilIdle()
      // Released by the settlement, where a call may still read pending, or by the job.
      #expect(log.entries.count == 2)
      #expect(log.entries.last == settlement.seen)
    }
  }

  @Test("rule 6.5: a payload's deinit may settle others, derive and drop", arguments: [1, 100])
  func payloads(count: Int) {
    let context = context
    let log = Log<Int>()
    var owners: [Deferred<Int>] = []
    for index in 0..<count {
      let owner = Deferred<Int>()
      owners.append(owner)
      let payload = AtEnd {
        owner.fulfill(index)
        owner.promise.onFulfilled(on: context) { log.append($0) }
      }
      Promise.fulfilled(payload).tap(on: context) { _ in }
    }
    context.runUntilIdle()
    #expect(owners.map(\.promise.seen) == (0..<count).map { .fulfilled($0) })
    #expect(log.entries.sorted() == Array(0..<count))
  }

  @Test("rule 6.5: a dropped job's captures may schedule on the context that drops it")
  func droppedJobs() {
    let context = context
    let log = Log<Int>()
    do {
      let end = AtEnd { Promise.fulfilled(1).onFulfilled(on: context) { log.append($0) } }
      Promise.fulfilled(0).onFulfilled(on: context) { _ in withExtendedLifetime(end) {} }
    }
    context.dropAll()
    context.runUntilIdle()
    #expect(log.entries == [1])
  }

  @Test("rule 6.5: an error's deinit may break another owner, which breaks another")
  func errors() {
    final class ErrorWithOwner: Error {
      let owner: Deferred<Int>
      init(_ owner: Deferred<Int>) { self.owner = owner }
    }
    let last = Deferred<Int>(line: 91)
    let promise = last.promise
    var first: Deferred<Int>?
    func chain(_ owner: consuming Deferred<Int>) {
      var owner = owner
      for _ in 0..<10 {
        let next = Deferred<Int>()
        next.reject(ErrorWithOwner(owner))
        owner = next
      }
      first = owner
    }
    do {
      let owner = Deferred<Int>(line: 92)
      promise.onSettled(on: context) { _ in }
      last.follow(owner.promise)
      chain(owner)
    }
    #expect(promise.isPending)
    first = nil
    #expect(promise.seen == .rejected(.broken(92)))
    #expect(first == nil)
  }
}
