import TestSupport
import Testing

@Suite("Places where hooks of owners run", .leavingNothing, .rule("4.5")) struct HookPlaceTests {
  /// Causes other than a call of `cancel` that cancel a promise or reject it at its owner's limit.
  enum Cause: CaseIterable, Sendable {
    case bag, client, follow, handler, task, limit, ownersLimit

    /// Ends the promise of `work`, in this call or in a step of the world.
    func end(_ work: Deferred<Int>, in world: TestWorld) {
      let timedOut = PromiseError.timedOut(createdAt: CreationSite(fileID: #fileID, line: #line))
      switch self {
      case .bag: work.promise.bound(to: CancelBag())
      case .client: _ = work.promise
      case .follow:
        let owner = Deferred<Int>()
        owner.promise.cancel()
        owner.follow(work.promise)
      case .handler:
        let derived = Locked<Promise<Int>?>(nil)
        let promise = Promise.fulfilled(0).then(on: world.main) { [promise = work.promise] _ in
          derived.withLock { $0.take() }?.cancel()
          return promise
        }
        derived.withLock { $0 = promise }
      case .task:
        let task = Task(executorPreference: world.taskExecutor) { [promise = work.promise] in
          _ = try? await promise.value(cancelsSource: true)
        }
        world.runUntilIdle()
        task.cancel()
      case .limit:
        let limited = work.promise.map(on: world.main) { $0 }
        limited.timeOut(because: timedOut, givingUp: true)
        _ = limited.error
      case .ownersLimit: work.promise.timeOutAsOwner(because: timedOut)
      }
    }
  }

  @Test("A hook runs on the pool if no call of cancel ends its promise", .rule("2.1", "8.3"), arguments: Cause.allCases)
  func pool(_ cause: Cause) throws {
    try TestWorld.run { world in
      let hooks = Log<String>()
      let work = Deferred<Int>(cancelsWithoutClients: cause == .client)
      work.onCancel { _ in hooks.append("cancel") }
      work.onEnd { _ in hooks.append("end") }
      let isPending: @Sendable () -> Bool = { [work] in work.isPending }
      cause.end(work, in: world)
      while isPending() { try #require(world.step()) }
      #expect(hooks.entries.isEmpty)
      world.runUntilIdle()
      #expect(hooks.entries == ["cancel", "end"])
      // Reading the error handles the rejection of an expired limit, which the world would report.
      _ = work.ownedPromise.error
    }
  }

  @Test(
    "A call of cancel runs the hooks on its own thread before it returns, however it reaches the promise",
    arguments: ["name", "above", "below", "bag", "adopted"])
  func cancellingThread(_ form: String) throws {
    try TestWorld.run { world in
      let work = Deferred<Int>()
      let hooks = Log<String>()
      let promise = work.promise
      work.onEnd { _ in hooks.append("end") }
      work.onCancel { _ in hooks.append("cancel") }
      switch form {
      case "name": promise.cancel()
      case "above":
        let source = Promise.fulfilled(0)
        let derived = source.then(on: world.main) { _ in promise }
        world.runUntilIdle()
        source.cancel()
        #expect(derived.isCancelled)
      case "below": promise.map(on: world.main) { $0 }.map(on: world.main) { $0 }.cancel(upstream: true)
      case "bag":
        let bag = CancelBag()
        promise.bound(to: bag)
        bag.cancelAll()
      default:
        let follower = Deferred<Int>()
        follower.follow(promise)
        follower.promise.cancel()
      }
      #expect(hooks.entries == ["cancel", "end"])
    }
  }

  @Test("A hook that names a context always runs there, even if it is registered late")
  func named() throws {
    try TestWorld.run { world in
      let context = ManualContext()
      let work = Deferred<Int>()
      let hooks = Log<Int>()
      work.onCancel(on: context) { _ in hooks.append(1) }
      work.onEnd(on: context) { _ in hooks.append(2) }
      work.promise.cancel()
      work.onCancel(on: context) { _ in hooks.append(3) }
      work.onEnd(on: context) { _ in hooks.append(4) }
      world.runUntilIdle()
      #expect(hooks.entries.isEmpty)
      context.runUntilIdle()
      #expect(hooks.entries == [1, 2, 3, 4])
    }
  }

  @Test("A hook that is registered after its owner's limit has expired runs at once, or on the context that it names")
  func afterOwnersLimit() throws {
    try TestWorld.run { world in
      let context = ManualContext()
      let work = Deferred<Int>()
      let hooks = Log<String>()
      work.promise.timeOutAsOwner(because: .timedOut(createdAt: CreationSite(fileID: #fileID, line: 1)))
      work.onCancel { hooks.append("at once, \(Failure($0) == .timedOut(1))") }
      #expect(hooks.entries == ["at once, true"])
      work.onCancel(on: context) { hooks.append("on a context, \(Failure($0) == .timedOut(1))") }
      world.runUntilIdle()
      #expect(hooks.entries.count == 1)
      context.runUntilIdle()
      #expect(hooks.entries == ["at once, true", "on a context, true"])
      #expect(work.promise.failure == .timedOut(1))
    }
  }

  @Test("A hook whose context drops it runs on the pool")
  func dropped() async {
    let work = Deferred<Int>()
    let hooks = Log<String>()
    work.onCancel(on: DroppingContext()) { _ in hooks.append("cancel") }
    work.promise.cancel()
    #expect(await eventually { hooks.entries == ["cancel"] })
  }

  @Test("Hooks dropped by their named context run together in one step of the world")
  func droppedInWorld() throws {
    try TestWorld.run { world in
      let work = Deferred<Int>()
      let hooks = Log<Int>()
      let context = DroppingContext()
      work.onCancel(on: context) { _ in hooks.append(1) }
      work.onEnd(on: context) { _ in hooks.append(2) }
      work.promise.cancel()
      #expect(hooks.entries.isEmpty)
      #expect(world.step())
      #expect(hooks.entries == [1, 2])
    }
  }

  @Test("An onEnd hook runs after the onCancel hooks of a cancellation that another hook caused")
  func endOfNested() {
    let context = ManualContext()
    let hooks = Log<Int>()
    let outer = Deferred<Int>()
    let inner = Deferred<Int>()
    inner.onCancel { _ in hooks.append(1) }
    inner.onEnd(on: context) { _ in hooks.append(2) }
    outer.onCancel { _ in
      inner.promise.cancel()
      context.runUntilIdle()
    }
    outer.promise.cancel()
    context.runUntilIdle()
    #expect(hooks.entries == [1, 2])
  }

  @Test("The hooks of one cancellation run in one job of the pool, with the follower's hooks first")
  func oneJob() throws {
    try TestWorld.run { world in
      let hooks = Log<String>()
      let outer = Deferred<Int>()
      let inner = Deferred<Int>()
      inner.onCancel { _ in hooks.append("inner") }
      outer.onCancel { _ in hooks.append("outer") }
      outer.follow(inner.promise)
      outer.promise.bound(to: CancelBag())
      #expect(outer.promise.isCancelled)
      #expect(inner.promise.isCancelled)
      #expect(hooks.entries.isEmpty)
      #expect(world.step())
      #expect(hooks.entries == ["outer", "inner"])
      #expect(!world.step())
    }
  }

  @Test("A cancel inside a hook on the pool runs the hooks that it causes after that hook has returned")
  func nested() throws {
    try TestWorld.run { world in
      let hooks = Log<String>()
      let first = Deferred<Int>()
      let second = Deferred<Int>()
      first.onCancel { [promise = second.promise] _ in
        promise.cancel()
        hooks.append("first, \(promise.isCancelled)")
      }
      second.onCancel { _ in hooks.append("second") }
      first.promise.bound(to: CancelBag())
      world.step()
      #expect(hooks.entries == ["first, true", "second"])
    }
  }

  @Test("A hook on DetachedContext runs without the task-local values of the canceller")
  func coreAlone() async {
    let work = Deferred<Int>()
    let hooks = Log<Int?>()
    work.onCancel(on: DetachedContext()) { _ in hooks.append(Marked.number) }
    Marked.$number.withValue(1) { work.promise.cancel() }
    #expect(await eventually { hooks.entries == [nil] })
  }

  @Test("A cancel runs no onEnd hook of a promise to which it only passes an outcome", .rule("2.1"))
  func passed() throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let follower = Deferred<Int>()
      let hooks = Log<String>()
      follower.onEnd { _ in hooks.append("end") }
      follower.follow(source.promise)
      source.promise.cancel()
      #expect(follower.promise.isCancelled)
      #expect(hooks.entries.isEmpty)
      #expect(world.step())
      #expect(hooks.entries == ["end"])
    }
  }

  @Test("A hook that two contexts drop runs on the pool")
  func droppedTwice() throws {
    try TestWorld.run { world in
      let work = Deferred<Int>()
      let hooks = Log<Int>()
      work.onCancel(on: DroppingContext(), orElseOn: DroppingContext()) { _ in hooks.append(1) }
      work.promise.cancel()
      #expect(world.step())
      #expect(hooks.entries == [1])
    }
  }

  private enum Marked { @TaskLocal static var number: Int? }

  @Test("The label of a job that runs hooks names the promise and its creation site")
  func label() {
    let context = ManualContext()
    let work = Deferred<Int>(line: 7)
    work.onCancel(on: context) { _ in }
    work.promise.cancel()
    let job = context.takeFirst()
    #expect(job?.label == "hooks of Promise<Int>, PromiseCoreTests/HookPlaceTests.swift:7")
    job?.run()
  }
}

extension Deferred {
  /// Whether the owner's promise is pending. This property does not create the client's promise.
  fileprivate var isPending: Bool { ownedPromise.isPending }
}
