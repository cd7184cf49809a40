import PromiseCore
import TestSupport
import Testing

@Suite("States")
struct StateTests {
  @Test("A new promise is pending and shows no outcome", .rule("1.1"))
  func pending() {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(promise.isPending && !promise.isFulfilled && !promise.isRejected && !promise.isCancelled)
    #expect(promise.seen == .pending)
    if case .pending = promise.state {} else { Issue.record("not pending") }
    withExtendedLifetime(deferred) {}
  }

  @Test("A settled promise shows its outcome and nothing else", .rule("1.1"), arguments: Settlement.allCases)
  func settled(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(deferred.settle(settlement.result))
    #expect(!promise.isPending)
    #expect(promise.isFulfilled == settlement.isValue)
    #expect(promise.isRejected == !settlement.isValue)
    #expect(!promise.isCancelled)
    #expect(promise.seen == settlement.seen)
    switch promise.state {
    case .pending: Issue.record("still pending")
    case .fulfilled(let value): #expect(settlement.isValue && value == 1)
    case .rejected(let error): #expect(!settlement.isValue && error as? TestError == TestError(1))
    }
  }

  @Test("error and the accessors of a state agree with the outcome", .rule("1.1"), arguments: Settlement.allCases)
  func accessors(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(promise.error == nil && promise.state.error == nil && promise.state.value == nil)
    #expect(promise.state.isPending && !promise.state.isFulfilled && !promise.state.isRejected)
    deferred.settle(settlement.result)
    #expect((promise.error as? TestError) == (settlement.isValue ? nil : TestError(1)))
    #expect((promise.state.error as? TestError) == (settlement.isValue ? nil : TestError(1)))
    #expect(promise.state.value == (settlement.isValue ? 1 : nil))
    #expect(!promise.state.isPending)
    #expect(promise.state.isFulfilled == settlement.isValue && promise.state.isRejected == !settlement.isValue)
  }

  @Test("Reading error counts as handling a rejection", .rule("7.1"), arguments: [true, false])
  func errorIsHandled(_ isRead: Bool) {
    let reports = Locked(0)
    let count: @Sendable (UnhandledRejection) -> Void = { _ in _ = reports.increment() }
    Diagnostics.scoped(unhandledRejection: count) {
      let promise = Promise<Int>.rejected(TestError(1))
      if isRead { #expect(promise.error is TestError) }
    }
    #expect(reports.withLock { $0 } == (isRead ? 0 : 1))
  }

  @Test(
    "The settling call sees the settlement of its promise, of followers and of links that pass it through", .rule("1.3")
  )
  func visibility() {
    let context = ManualContext()
    let deferred = Deferred<Int>()
    let follower = Deferred<Int>()
    follower.follow(deferred.promise)
    let passed = follower.promise.recover(on: context) { _ in 0 }.catch(on: context) { _ in }
    deferred.fulfill(3)
    #expect(deferred.promise.seen == .fulfilled(3))
    #expect(follower.promise.seen == .fulfilled(3))
    #expect(passed.seen == .fulfilled(3))
    #expect(context.count == 0)
  }

  @Test(
    "The first of two settlements wins, and the second returns false and changes nothing", .rule("1.1", "1.3"),
    arguments: Act.allCases, Act.allCases)
  func secondSettlement(_ first: Act, _ second: Act) {
    let deferred = Deferred<Int>()
    #expect(first.perform(on: deferred, 1))
    #expect(!second.perform(on: deferred, 2))
    #expect(deferred.promise.seen == first.expected(1))
  }

  @Test("A settling call that loses does not affect the attached handlers", .rule("1.3"))
  func losingCallRunsNothing() {
    let context = ManualContext()
    let log = Log<Seen<Int>>()
    let deferred = Deferred<Int>()
    deferred.promise.onSettled(on: context) { log.append(Seen($0)) }
    deferred.fulfill(1)
    deferred.promise.onSettled(on: context) { log.append(Seen($0)) }
    for act in Act.allCases { #expect(!act.perform(on: deferred, 2)) }
    context.runUntilIdle()
    #expect(log.entries == [.fulfilled(1), .fulfilled(1)])
  }

  enum Act: CaseIterable, Sendable {
    case fulfill, reject, settleValue, settleError, followFulfilled, followRejected

    func perform(on deferred: Deferred<Int>, _ number: Int) -> Bool {
      switch self {
      case .fulfill: deferred.fulfill(number)
      case .reject: deferred.reject(TestError(number))
      case .settleValue: deferred.settle(.success(number))
      case .settleError: deferred.settle(.failure(TestError(number)))
      case .followFulfilled: deferred.follow(.fulfilled(number))
      case .followRejected: deferred.follow(.rejected(TestError(number)))
      }
    }

    func expected(_ number: Int) -> Seen<Int> {
      switch self {
      case .fulfill, .settleValue, .followFulfilled: .fulfilled(number)
      case .reject, .settleError, .followRejected: .failed(number)
      }
    }
  }
}
