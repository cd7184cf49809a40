import Dispatch
import TestSupport
import Testing

/// Another thread has settled a promise and is scheduling its handlers.
@Suite("Cancellation while another thread fires handlers", .bounded, .rule("4.3")) struct CancelDuringFiringTests {
  private let context = ManualContext()
  private let blocking = BlockingContext()
  private let deferred = Deferred<Int>()

  /// Settles the promise on another thread, and calls the body while that thread is scheduling the first handler.
  private func whileFiring(_ settle: @escaping @Sendable () -> Void, perform body: () -> Void) {
    let hasEnded = Gate()
    DispatchQueue.global().async {
      settle()
      hasEnded.open()
    }
    blocking.isReached.wait()
    body()
    blocking.mayContinue.open()
    hasEnded.wait()
  }

  @Test("No handler for a value starts after cancel returned, whatever precedes it in the list", arguments: [1, 100])
  func handlersForValues(_ count: Int) {
    let ran = Log<Int>()
    deferred.promise.onFulfilled(on: blocking) { _ in }
    let links = (0..<count).map { number in
      deferred.promise.map(on: context) {
        ran.append(number)
        return $0
      }
    }
    let passing = deferred.promise.recover(on: context) { _ in 1 }
    let below = passing.map(on: context) { $0 }
    whileFiring { [deferred] in
      deferred.fulfill(1)
    } perform: {
      deferred.promise.cancel()
      #expect((links + [passing, below]).allSatisfy { $0.isCancelled })
      context.runUntilIdle()
    }
    context.runUntilIdle()
    #expect(ran.entries.isEmpty)
    #expect((links + [passing, below]).allSatisfy { $0.isCancelled })
  }

  @Test("No handler that replaces an error turns the cancellation into a value")
  func handlersForErrors() {
    let ran = Log<String>()
    let seen = Log<String>()
    deferred.promise.onRejected(on: blocking) { _ in }
    let replacing: [LinkKind] = [
      .recover, .recoverFrom, .recoverFailure, .rescue, .rescueFrom, .rescueFailure, .mapError, .mapErrorFrom,
    ]
    let links = replacing.map { kind in
      kind.attach(to: deferred.promise, on: context, giving: 1) { ran.append(kind.rawValue) }
    }
    deferred.promise.catch(on: context) { _ in seen.append("catch") }
    deferred.promise.always(on: context) { _ in seen.append("always") }
    whileFiring { [deferred] in
      deferred.reject(TestError(1))
    } perform: {
      deferred.promise.cancel()
      #expect(links.allSatisfy { $0.isCancelled })
    }
    context.runUntilIdle()
    #expect(ran.entries.isEmpty)
    #expect(links.allSatisfy { $0.isCancelled })
    // `catch` and `always` run nevertheless (rule 2.5).
    #expect(seen.entries.sorted() == ["always", "catch"])
  }

  @Test("A link attached while the handlers are being scheduled is below the promise")
  func lateLinks() {
    deferred.promise.onFulfilled(on: blocking) { _ in }
    whileFiring { [deferred] in
      deferred.fulfill(1)
    } perform: {
      let late = deferred.promise.map(on: context) { $0 }
      let below = late.map(on: context) { $0 }
      deferred.promise.cancel()
      #expect(late.isCancelled)
      #expect(below.isCancelled)
    }
  }

  @Test("A context that cancels in schedule leaves no promise below pending", .rule("2.4", "6.5"))
  func insideSchedule() {
    let promise = deferred.promise
    let links = Locked<[Promise<Int>]>([])
    let isSettled = Log<Bool>()
    let seen = Log<Int>()
    promise.onFulfilled(
      on: CallingContext {
        promise.cancel()
        isSettled.append(links.withLock { $0 }.allSatisfy { $0.isCancelled })
      }
    ) { seen.append($0) }
    links.withLock { $0 = (0..<3).map { _ in promise.map(on: context) { $0 } } }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(isSettled.entries == [true])
    // The observer had not started either.
    #expect(seen.entries.isEmpty)
  }

  @Test("A capture that cancels its own link in its deinit finds it settled when cancel returns", .rule("2.4", "6.5"))
  func insideDeinit() {
    let isCancelled = Log<Bool>()
    let link = Locked<Promise<Int>?>(nil)
    let end = AtEnd {
      guard let link = link.withLock({ $0.take() }) else { return }
      link.cancel()
      isCancelled.append(link.isCancelled)
    }
    let derived = deferred.promise.map(on: context) { [end = consume end] value in withExtendedLifetime(end) { value } }
    let below = derived.map(on: context) { $0 }
    link.withLock { $0 = derived }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(isCancelled.entries == [true])
    #expect(below.isCancelled)
  }

  @Test("An always that is cancelled before its turn runs with the value of its source", .rule("2.5"))
  func always() {
    let seen = Log<Status<Int>>()
    let link = Locked<Promise<Int>?>(nil)
    deferred.promise.onFulfilled(on: CallingContext { link.withLock { $0 }?.cancel() }) { _ in }
    let always = deferred.promise.always(on: context) { seen.append(Status($0)) }
    link.withLock { $0 = always }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(always.isCancelled)
    #expect(seen.entries == [.fulfilled(1)])
  }
}
