import TestSupport
import Testing

@Suite("Owners that are deallocated") struct BrokenTests {
  let context = ManualContext()

  @Test("An owner that is deallocated rejects its promise with the site where the owner was made", .rule("6.2"))
  func broken() {
    let log = Log<Status<Int>>()
    var deferred: Deferred<Int>? = Deferred<Int>(line: 61)
    let promise = deferred?.promise
    promise?.onSettled(on: context) { log.append(Status($0)) }
    let derived = promise?.map(on: context) { $0 }
    #expect(promise?.isPending == true)
    deferred = nil
    #expect(promise?.status == .rejected(.broken(61)))
    #expect(derived?.status == .rejected(.broken(61)))
    #expect(log.entries.isEmpty)
    context.runUntilIdle()
    #expect(log.entries == [.rejected(.broken(61))])
  }

  @Test("An owner that only a handler holds is deallocated when the handler has run or was passed over", .rule("6.2"))
  func heldByHandler() {
    let gate = Deferred<Int>()
    let promises = LinkKind.allCases.map { kind in
      Promise<Int>(line: 65) { deferred in
        _ = kind.attach(to: gate.promise, on: context, giving: 2) { withExtendedLifetime(deferred) {} }
      }
    }
    #expect(promises.allSatisfy { $0.isPending })
    gate.fulfill(1)
    for (kind, promise) in zip(LinkKind.allCases, promises) { #expect(promise.isPending == kind.handlesValues) }
    context.runUntilIdle()
    #expect(promises.allSatisfy { $0.status == .rejected(.broken(65)) })
  }

  @Test("An owner that is deallocated in a Task made during another rejection still rejects its promise", .rule("6.2"))
  func inheritingTask() async {
    let later = Locked<Deferred<Int>?>(Deferred())
    let promise = later.withLock { $0?.promise }
    let (gate, task) = (Deferred<Void>(), Locked<Task<Void, Never>?>(nil))
    let context = CallingContext {
      let made = Task {
        try? await gate.promise.value
        _ = later.withLock { $0.take() }
      }
      task.withLock { $0 = made }
    }
    var owner: Deferred<Int>? = Deferred()
    owner?.promise.onRejected(on: context) { _ in }
    owner = nil
    // The call that made the Task has ended by now.
    gate.fulfill(())
    await task.withLock { $0 }?.value
    #expect(promise?.isRejected == true)
  }

  @Test("An owner and a bag that a Task releases inside a rejection settle their promises at once", .rule("6.2", "8.3"))
  func settlesItself() {
    let settled = Log<Bool>()
    let context = CallingContext {
      let end = Gate()
      Task {
        let promise = Deferred<Int>().promise
        let bound = Deferred<Int>()
        bound.promise.bound(to: CancelBag())
        settled.append(promise.isRejected && bound.promise.isCancelled)
        end.open()
      }
      end.wait("Task")
    }
    do {
      let owner = Deferred<Int>()
      owner.promise.catch(on: context) { _ in }
    }
    #expect(settled.entries == [true])
  }

  @Test(
    "Inside a rejection, owners that a hook releases reject their promises at once, and others after the rejection",
    .rule("4.5", "6.2"))
  func releasedByHook() {
    let cancelled = Deferred<Int>()
    let settled = Log<Bool>()
    let release: @Sendable () -> Void = {
      let promise = Deferred<Int>().promise
      settled.append(promise.isRejected)
    }
    cancelled.onCancel { _ in
      release()
      release()
    }
    let context = CallingContext {
      cancelled.promise.cancel()
      release()
    }
    do {
      let owner = Deferred<Int>()
      owner.promise.catch(on: context) { _ in }
    }
    #expect(settled.entries == [true, true, false])
  }
}
