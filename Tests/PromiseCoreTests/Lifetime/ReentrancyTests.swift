import TestSupport
import Testing

/// Returns a context that calls the body when it is deallocated.
private func mortalContext(_ body: @escaping @Sendable () -> Void) -> CallingContext {
  CallingContext { [end = AtEnd(body)] in withExtendedLifetime(end) {} }
}

@Suite("User code in deinit") struct ReentrancyTests {
  let context = ManualContext()

  @Test("The deinit of a capture may use the promise that released it", .rule("6.5"), arguments: LinkKind.allCases)
  func captures(_ kind: LinkKind) {
    for settlement in Settlement.allCases {
      let log = Log<Status<Int>>()
      let deferred = Deferred<Int>()
      let promise = deferred.promise
      do {
        let end = AtEnd { [context] in
          log.append(promise.status)
          promise.onSettled(on: context) { log.append(Status($0)) }
          _ = deferred.fulfill(7)
        }
        _ = kind.attach(to: promise, on: context, giving: 2) { withExtendedLifetime(end) {} }
      }
      deferred.settle(settlement.result)
      context.runUntilIdle()
      // The settlement or the job releases the capture. During the settlement the state may still read as pending.
      #expect(log.entries.count == 2)
      #expect(log.entries.last == settlement.status)
    }
  }

  @Test("A cancel in a dropped hook's deinit cancels promises below the settled promise", .rule("4.2", "4.3", "4.5"))
  func droppedHook() {
    let owner = Deferred<Int>()
    let below = owner.promise.map(on: context) { $0 }
    let seen = Log<Bool>()
    do {
      let end = AtEnd { [promise = owner.promise] in
        promise.cancel()
        seen.append(below.isCancelled)
      }
      owner.onCancel { _ in withExtendedLifetime(end) {} }
    }
    owner.fulfill(1)
    #expect(seen.entries == [true])
    context.runUntilIdle()
  }

  @Test("The deinit of a value may settle a promise and attach a handler to it", .rule("6.5"), arguments: [1, 100])
  func payloads(count: Int) {
    let log = Log<Int>()
    var owners: [Deferred<Int>] = []
    for index in 0..<count {
      let owner = Deferred<Int>()
      owners.append(owner)
      let payload = AtEnd { [context] in
        owner.fulfill(index)
        owner.promise.onFulfilled(on: context) { log.append($0) }
      }
      Promise.fulfilled(payload).tap(on: context) { _ in }
    }
    context.runUntilIdle()
    #expect(owners.map(\.promise.status) == (0..<count).map { .fulfilled($0) })
    #expect(log.entries.sorted() == Array(0..<count))
  }

  @Test("The captures of a dropped job may schedule a job on the context that drops them", .rule("6.5"))
  func droppedJobs() {
    let log = Log<Int>()
    do {
      let end = AtEnd { [context] in Promise.fulfilled(1).onFulfilled(on: context) { log.append($0) } }
      Promise.fulfilled(0).onFulfilled(on: context) { _ in withExtendedLifetime(end) {} }
    }
    context.dropAll()
    context.runUntilIdle()
    #expect(log.entries == [1])
  }

  @Test("The deinit of a context may call cancel while an outcome passes the link of that context", .rule("6.5"))
  func contexts() {
    let deferred = Deferred<Int>()
    let settled = Promise.fulfilled(1)
    let ends = Locked(0)
    func mortal() -> CallingContext {
      mortalContext {
        settled.cancel()
        ends.withLock { $0 += 1 }
      }
    }
    // The test retains this promise, so that it lists the link below it.
    let derived = deferred.promise.map(on: mortal()) { $0 }
    let below = derived.map(on: context) { $0 }
    deferred.reject(TestError(1))
    #expect(ends.withLock { $0 } == 1)
    #expect(derived.isRejected)
    #expect(below.isRejected)
  }

  /// Runs the body in the `deinit` of a context, while the library removes dead links from the list of the promise.
  private func whilePruning(_ promise: Promise<Int>, _ body: @escaping @Sendable () -> Void) {
    func attach(_ context: any ExecutionContext) { promise.map(on: context) { $0 }.cancel() }
    attach(mortalContext(body))
    for _ in 0..<20 { attach(context) }
  }

  @Test("A handler attached during pruning runs after all earlier handlers", .rule("2.2", "4.9"), arguments: [0, 3])
  func attachedWhilePruning(count: Int) {
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    func observe(_ number: Int) { deferred.promise.onFulfilled(on: context) { _ in log.append(number) } }
    for number in 0..<count { observe(number) }
    whilePruning(deferred.promise) { [context, promise = deferred.promise] in
      for number in count..<count + 2 { promise.onFulfilled(on: context) { _ in log.append(number) } }
    }
    observe(count + 2)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == Array(0..<count + 3))
  }

  @Test("A promise that is settled while dead links are removed runs all its handlers", .rule("2.1", "4.9"))
  func settledWhilePruning() {
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    for number in 1...3 { deferred.promise.onFulfilled(on: context) { _ in log.append(number) } }
    whilePruning(deferred.promise) { [context] in
      deferred.fulfill(1)
      deferred.promise.onFulfilled(on: context) { _ in log.append(4) }
    }
    context.runUntilIdle()
    #expect(log.entries == Array(1...4))
  }

  @Test("A promise that is cancelled while dead links are removed cancels all promises below it", .rule("4.2", "4.9"))
  func cancelledWhilePruning() {
    let deferred = Deferred<Int>()
    let below = (0..<3).map { _ in deferred.promise.recover(on: context) { _ in 0 } }
    whilePruning(deferred.promise) { [promise = deferred.promise] in promise.cancel(reason: TestError(7)) }
    #expect(below.allSatisfy { $0.isCancelled && $0.status == .failed(7) })
  }

  @Test("Releasing a chain of errors that each hold an owner rejects the promise of the last owner", .rule("6.5"))
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
    #expect(promise.status == .rejected(.broken(92)))
    #expect(first == nil)
  }
}
