import OpenCombine
import PromiseContexts
import PromiseCore
import PromiseOpenCombine
import PromiseTesting
import Testing

/// A subscriber that requests values and cancels when it is told to, and records what it receives. It is used in
/// worlds, which run one step at a time.
private final class Recording: Subscriber, @unchecked Sendable {
  typealias Input = Int
  typealias Failure = any Error

  private var subscription: (any Subscription)?
  private let cancelsOnValue: Bool
  let log = Log<String>()

  init(cancelsOnValue: Bool = false) { self.cancelsOnValue = cancelsOnValue }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Int) -> Subscribers.Demand {
    log.append("\(input)")
    if cancelsOnValue { cancel() }
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    switch completion {
    case .finished: log.append("finished")
    case .failure(let error): log.append("\(error)")
    }
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  func cancel() { subscription?.cancel() }
}

/// A subscriber that requests a value at once, and does not retain its subscription.
private final class Careless: Subscriber, @unchecked Sendable {
  typealias Input = Int
  typealias Failure = any Error

  weak var subscription: AnyObject?
  let log = Log<String>()

  func receive(subscription: any Subscription) {
    self.subscription = subscription as AnyObject
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    log.append("\(input)")
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) { log.append("end") }
}

/// A publisher that publishes a value, and finishes inside the cancellation of its subscription.
private struct FinishingWhenCancelled: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber<Int, Never>>(subscriber: S) {
    subscriber.receive(subscription: FinishingSubscription { subscriber.receive(completion: .finished) })
    _ = subscriber.receive(1)
  }
}

private final class FinishingSubscription: Subscription {
  private let finish: () -> Void
  init(_ finish: @escaping () -> Void) { self.finish = finish }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { finish() }
}

/// A publisher that releases its subscriber, and so never publishes.
private struct Forgetful: Publisher {
  typealias Output = Int
  typealias Failure = Never
  func receive<S: Subscriber<Int, Never>>(subscriber: S) { subscriber.receive(subscription: Subscriptions.empty) }
}

@Suite("OpenCombine", .bounded) struct OpenCombineTests {
  @Test("A publisher sends nothing before it is asked, and then the value and the end, once")
  func demand() throws {
    try TestWorld.run(checking: .running) { world in
      let subscriber = Recording()
      Promise.fulfilled(1).publisher.subscribe(subscriber)
      world.runUntilIdle()
      subscriber.request(.none)
      world.runUntilIdle()
      #expect(subscriber.log.entries.isEmpty)
      subscriber.request(.max(1))
      subscriber.request(.max(1))
      #expect(subscriber.log.entries.isEmpty)
      world.runUntilIdle()
      #expect(subscriber.log.entries == ["1", "finished"])
    }
  }

  @Test("A rejection is the failure of the publisher, and counts as handled")
  func rejected() throws {
    try TestWorld.run(checking: .running) { world in
      let subscriber = Recording()
      Promise<Int>.rejected(TestError(3)).publisher.subscribe(subscriber)
      subscriber.request(.unlimited)
      world.runUntilIdle()
      #expect(subscriber.log.entries == ["\(TestError(3))"])
    }
  }

  @Test("The cancellation of a promise is the failure of its publisher")
  func cancelledPromise() throws {
    try TestWorld.run(checking: .running) { world in
      let subscriber = Recording()
      let owner = PromiseCore.Deferred<Int>()
      owner.promise.publisher.subscribe(subscriber)
      subscriber.request(.unlimited)
      owner.promise.cancel(reason: TestError(5))
      world.runUntilIdle()
      #expect(subscriber.log.entries == ["\(TestError(5))"])
    }
  }

  @Test("Several subscribers get the value independently, and a cancelled one gets nothing")
  func severalSubscribers() throws {
    try TestWorld.run(checking: .running) { world in
      let owner = PromiseCore.Deferred<Int>()
      let subscribers = (0..<3).map { _ in Recording() }
      for subscriber in subscribers {
        owner.promise.publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
      }
      subscribers[1].cancel()
      owner.fulfill(7)
      world.runUntilIdle()
      #expect(subscribers.map(\.log.entries) == [["7", "finished"], [], ["7", "finished"]])
    }
  }

  @Test("Cancelling every subscription leaves the promise and its work alone")
  func cancelledSubscriptionsLeave() {
    let owner = PromiseCore.Deferred<Int>()
    let log = Log<String>()
    owner.onCancel { _ in log.append("cancelled") }
    for _ in 0..<2 {
      let cancellable = owner.promise.publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      cancellable.cancel()
    }
    #expect(owner.promise.isPending)
    #expect(log.entries.isEmpty)
    owner.fulfill(1)
  }

  @Test("A subscriber that cancels when it receives the value does not receive the end")
  func cancelOnValue() throws {
    try TestWorld.run(checking: .running) { world in
      let subscriber = Recording(cancelsOnValue: true)
      Promise.fulfilled(1).publisher.subscribe(subscriber)
      subscriber.request(.unlimited)
      world.runUntilIdle()
      #expect(subscriber.log.entries == ["1"])
    }
  }

  @Test(
    "A subscriber that does not retain its subscription gets the outcome, and nothing retains the subscription then",
    arguments: [true, false])
  func unretainedSubscription(_ isCancelled: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let subscriber = Careless()
      let owner = PromiseCore.Deferred<Int>()
      owner.promise.publisher.subscribe(subscriber)
      world.runUntilIdle()
      #expect(subscriber.subscription != nil)
      if isCancelled { (subscriber.subscription as? any Subscription)?.cancel() }
      owner.fulfill(1)
      world.runUntilIdle()
      #expect(subscriber.log.entries == (isCancelled ? [] : ["1", "end"]))
      #expect(subscriber.subscription == nil)
    }
  }

  @Test("Operators of OpenCombine work on the publisher of a promise")
  func operators() async throws {
    let sum = Promise.fulfilled(2).publisher
      .map { $0 + 1 }
      .flatMap { Promise.fulfilled($0 * 4).publisher }
      .firstValue()
    #expect(try await sum.value == 12)
  }

  @Test("firstValue takes the first value and ends the subscription")
  func firstValue() async throws {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log<String>()
    let first = subject.handleEvents(receiveCancel: { log.append("cancelled") }).firstValue()
    subject.send(1)
    subject.send(2)
    #expect(try await first.value == 1)
    #expect(log.entries == ["cancelled"])
  }

  @Test("firstValue has the value of a publisher that finishes when its subscription is cancelled")
  func finishingWhenCancelled() async throws {
    #expect(try await FinishingWhenCancelled().firstValue().value == 1)
  }

  @Test("firstValue of a publisher that sends its value inside the subscription is fulfilled")
  func valueInsideSubscription() async throws {
    #expect(try await Just(5).firstValue().value == 5)
    #expect(try await CurrentValueSubject<Int, Never>(6).firstValue().value == 6)
  }

  @Test("firstValue is rejected with the failure, and with broken if there is no value")
  func firstValueWithoutValue() async {
    let failed = Fail<Int, TestError>(error: TestError(4)).firstValue()
    #expect(await rejection(of: failed) as? TestError == TestError(4))
    let empty = await rejection(of: Empty<Int, Never>().firstValue()) as? PromiseError
    #expect(empty?.code == .broken)
  }

  @Test("Cancelling the promise of firstValue cancels the subscription")
  func cancelledFirstValue() {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log<String>()
    let first = subject.handleEvents(receiveCancel: { log.append("cancelled") }).firstValue().map { $0 }
    first.cancel(upstream: true)
    #expect(log.entries == ["cancelled"])
  }

  @Test("firstValue is rejected at once if the publisher releases its subscriber")
  func forgetfulPublisher() {
    let forgotten = Forgetful().firstValue()
    #expect((forgotten.error as? PromiseError)?.code == .broken)
  }
}
