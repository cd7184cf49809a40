import PromiseCore
import TestSupport
import Testing

@Suite("Consumers and other attachments", .leavingNothing)
struct ConsumerCaseTests {
  private let context = ManualContext()
  private let executor = ManualExecutor()
  private let work = StoppableWork()

  private func giveUpALink() { work.promise.map(on: context) { $0 }.cancel(upstream: true) }

  /// Fulfils the work and runs all jobs, because a Task that does not end leaks.
  private func finish() {
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
  }

  @Test("The work goes on while it has another consumer", .rule("4.0", "4.4"), arguments: Consuming.allCases)
  func consumers(_ consumer: Consuming) {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    giveUpALink()
    #expect(work.goesOn)
    finish()
    #expect(work.promise.seen == .fulfilled(1))
    withExtendedLifetime(kept) {}
  }

  @Test(
    "Attachments that are not consumers do not keep the work going", .rule("4.0", "4.4"),
    arguments: NotConsuming.allCases)
  func noConsumers(_ other: NotConsuming) {
    let kept = other.attach(to: work, on: context, awaiting: executor)
    giveUpALink()
    #expect(work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test(
    "The work stops when its last consumer gives up, unless that consumer is a shield", .rule("4.0", "4.4"),
    arguments: Consuming.allCases)
  func lastConsumer(_ consumer: Consuming) {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    giveUpALink()
    #expect(work.goesOn)
    if let promise = kept.promise {
      promise.cancel(upstream: true)
      // A shield leaves its source and never gives it up.
      #expect(consumer == .shield ? work.goesOn : work.isStopped)
    }
    finish()
  }

  @Test("A link whose promise was released keeps the work going", .rule("4.0"))
  func droppedLink() {
    let values = Log<Int>()
    _ = work.promise.map(on: context) { values.append($0) }
    giveUpALink()
    #expect(work.goesOn)
    finish()
    #expect(values.entries == [1])
  }

  @Test("An observer of values keeps the work going and receives the value", .rule("4.0"))
  func valueObserver() {
    let values = Log<Int>()
    work.promise.onFulfilled(on: context) { values.append($0) }
    giveUpALink()
    #expect(work.goesOn)
    finish()
    #expect(values.entries == [1])
  }

  @Test("An observer of errors does not keep the work going and receives the reason", .rule("4.0"))
  func errorObserver() {
    let errors = Log<Failure>()
    work.promise.onRejected(on: context) { errors.append(Failure($0)) }
    work.promise.map(on: context) { $0 }.cancel(reason: TestError(7), upstream: true)
    #expect(work.isStopped && errors.entries.isEmpty)
    context.runUntilIdle()
    #expect(errors.entries == [.test(7)])
  }

  @Test("Progress observers, a progress loop, a bag and a reference do not keep the work going", .rule("4.0"))
  func together() {
    let kept = [NotConsuming.onProgress, .progressUpdates, .bag, .reference]
      .map { $0.attach(to: work, on: context, awaiting: executor) }
    giveUpALink()
    #expect(work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test("A side branch with a rejection handler keeps the work going", .rule("4.0"))
  func sideBranch() {
    let errors = Log<Failure>()
    work.promise.catch(on: context) { errors.append(Failure($0)) }
    giveUpALink()
    #expect(work.goesOn)
    finish()
    #expect(errors.entries.isEmpty)
  }

  @Test("catch and always run once with the reason in a chain that gives up", .rule("2.5", "4.0"))
  func inLine() {
    let (logged, hidden, mapped) = (Log<Failure>(), Log<Failure?>(), Log<Int>())
    work.promise
      .catch(on: context) { logged.append(Failure($0)) }
      .always(on: context) { result in
        if case .failure(let error) = result { hidden.append(Failure(error)) } else { hidden.append(nil) }
      }
      .map(on: context) { mapped.append($0) }
      .cancel(reason: TestError(7), upstream: true)
    #expect(work.isStopped && logged.entries.isEmpty && hidden.entries.isEmpty)
    context.runUntilIdle()
    #expect(logged.entries == [.test(7)] && hidden.entries == [.test(7)] && mapped.entries.isEmpty)
  }

  @Test("A promise that is cancelled by name stops the work, whatever its consumers", .rule("4.2", "4.4"))
  func byName() {
    let seen = Log<Failure?>()
    work.promise.onSettled(on: context) { result in
      if case .failure(let error) = result { seen.append(Failure(error)) } else { seen.append(nil) }
    }
    work.promise.cancel(reason: TestError(7), upstream: true)
    #expect(work.isStopped)
    context.runUntilIdle()
    #expect(seen.entries == [.test(7)])
  }

  @Test(
    "A promise that gives up is cancelled, even if it has a consumer of its own", .rule("4.2"),
    arguments: Consuming.allCases)
  func consumersOfItself(_ consumer: Consuming) {
    let promise = work.promise.map(on: context) { $0 }
    let kept = consumer.attach(to: promise, on: context, awaiting: executor)
    promise.cancel(upstream: true)
    #expect(areCancelled([promise]) && work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test("Only the last of many consumers to give up stops the work", .rule("4.0", "4.4"), arguments: [1_000, 20_000])
  func manyLinks(count: Int) {
    let links = (0..<count).map { _ in work.promise.map(on: context) { $0 } }
    for link in links.dropLast() { link.cancel(upstream: true) }
    #expect(work.goesOn)
    links.last?.cancel(upstream: true)
    #expect(work.isStopped)
  }
}
