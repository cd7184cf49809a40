import TestSupport
import Testing

extension Stress {
  @Suite("Depth: chains of a million async links")
  struct AsyncChainTests {
    let census = Tracked.Census()

    /// Returns a chain whose links capture a tracked object.
    private func chain(from owner: Deferred<Int>, catching: Bool = false) -> Promise<Int> {
      let payload = Tracked(census)
      var promise = owner.promise
      for _ in 0..<deep {
        promise =
          catching
          ? promise.asyncRecover { error in withExtendedLifetime(payload) { (error as? TestError)?.number ?? 0 } }
          : promise.asyncMap { value in withExtendedLifetime(payload) { value + 1 } }
      }
      return promise
    }

    @Test(
      "A chain of async links runs iteratively and leaves nothing behind", .rule("6.4"),
      arguments: [DeepThread.worker, .smallStack])
    func runs(_ thread: DeepThread) async throws {
      let owner = Deferred<Int>()
      let end = chain(from: owner)
      await thread.run { owner.fulfill(0) }
      #expect(try await end.value == deep)
      #expect(census.living == 0)
    }

    @Test("Outcomes pass through async links iteratively", .rule("6.4"), arguments: [false, true])
    func passes(catching: Bool) async throws {
      let owner = Deferred<Int>()
      let end = chain(from: owner, catching: catching)
      await DeepThread.smallStack.run { owner.settle(catching ? .success(1) : .failure(TestError(1))) }
      #expect(end.isFulfilled == catching)
      #expect(end.isRejected == !catching)
      #expect(census.living == 0)
    }

    @Test(
      "A chain of async links is cancelled iteratively, whether it is pending or running", .rule("4.2", "6.4"),
      arguments: [false, true])
    func cancels(running: Bool) async throws {
      let owner = Deferred<Int>()
      let open = Deferred<Void>()
      let started = Deferred<Void>()
      let first = owner.promise.asyncMap { value in
        started.fulfill()
        try await open.promise.value
        return value
      }
      let head = Deferred<Int>()
      head.follow(first)
      let end = chain(from: head)
      if running {
        owner.fulfill(1)
        try await started.promise.value
      }
      await DeepThread.smallStack.run { owner.promise.cancel() }
      #expect(end.isCancelled)
      #expect(census.living == 0)
    }
  }
}
