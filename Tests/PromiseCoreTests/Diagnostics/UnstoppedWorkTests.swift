import TestSupport
import Testing

#if DEBUG
  @Suite("Diagnostics: work that a cancellation leaves", .leavingNothing, .rule("4.4"))
  struct UnstoppedWorkTests {
    /// Returns the reports of work that is left while the code runs.
    private func reports(_ body: () throws -> Void) rethrows -> [Left] {
      let log = Log<Left>()
      let hook: @Sendable (UnstoppedWork) -> Void = {
        log.append(Left($0.createdAt.line, by: $0.cancelledPromiseCreatedAt.line))
      }
      try Diagnostics.scoped(unstoppedWork: hook, body)
      return log.entries
    }

    /// The line of the promise for work that goes on, and that of the promise whose cancellation has left it.
    private struct Left: Equatable {
      let work: Int
      let cancelled: Int

      init(_ work: Int, by cancelled: Int) { (self.work, self.cancelled) = (work, cancelled) }
    }

    private func owner(_ line: UInt) -> Deferred<Int> {
      let deferred = Deferred<Int>(line: line)
      deferred.onCancel { _ in }
      return deferred
    }

    @Test("A call of cancel that leaves an owner with a hook is reported, in each form")
    func hook() {
      let found = reports {
        let owner = owner(1)
        owner.promise.map(line: 2) { $0 }.cancel()
        owner.promise.map(line: 3) { $0 }.cancel(reason: TestError(1))
        owner.promise.map(line: 4) { $0 }.cancel(upstream: false)
        owner.fulfill(1)
      }
      #expect(found == [Left(1, by: 2), Left(1, by: 3), Left(1, by: 4)])
    }

    @Test("A hook that says when the work has stopped counts, and one for the end alone does not")
    func hooks() {
      let found = reports {
        let cancelled = Deferred<Int>(line: 1)
        let ended = Deferred<Int>(line: 2)
        let cleaned = Deferred<Int>(line: 3)
        cancelled.onCancelThen { _ in Promise.fulfilled() }
        ended.onEndThen { _ in Promise.fulfilled() }
        cleaned.onEnd { _ in }
        for owner in [cancelled, ended, cleaned] {
          owner.promise.asVoid(line: 4).cancel()
          owner.fulfill(1)
        }
      }
      #expect(found == [Left(1, by: 4), Left(2, by: 4)])
    }

    @Test("A Task of the library counts, in a source and in an async link")
    func task() async throws {
      let gate = Deferred<Void>()
      let release = gate.promise
      let started = Deferred<Void>()
      let task = Promise.task(line: 1) {
        try await release.value
        return 1
      }
      let link = Promise.fulfilled(1).asyncMap(line: 2) { value in
        started.fulfill(())
        try await release.value
        return value
      }
      try await started.promise.value
      let found = reports {
        task.map(line: 3) { $0 }.cancel()
        link.map(line: 4) { $0 }.cancel()
      }
      #expect(found == [Left(1, by: 3), Left(2, by: 4)])
      gate.fulfill(())
      #expect(try await task.value == 1)
      #expect(try await link.value == 1)
    }

    @Test("Work is found through links and an adoption")
    func above() {
      let found = reports {
        let first = owner(1)
        let second = owner(2)
        first.promise.map { $0 }.asVoid().map { 1 }.map(line: 3) { $0 }.cancel()
        let adopted = Promise.fulfilled(1).then(on: InlineContext.shared) { _ in second.promise.map { $0 } }
        adopted.map { $0 }.map(line: 4) { $0 }.cancel()
        first.fulfill(1)
        second.fulfill(1)
      }
      #expect(found == [Left(1, by: 3), Left(2, by: 4)])
    }

    @Test("An owner without a hook is not reported, nor is a promise that has another consumer")
    func unreported() {
      let found = reports {
        let silent = Deferred<Int>()
        silent.promise.map { $0 }.cancel()
        silent.fulfill(1)

        let shared = owner(1)
        shared.promise.onFulfilled { _ in }
        shared.promise.map { $0 }.cancel()

        let branched = owner(2)
        let middle = branched.promise.map { $0 }
        middle.catch { _ in }
        middle.map { $0 }.cancel()
        let side = branched.promise.map { $0 }
        side.map { $0 }.cancel()
        shared.fulfill(1)
        branched.fulfill(1)
      }
      #expect(found == [])
    }

    @Test("A cancelled shield is not reported, nor is a link behind one", .rule("4.10"))
    func shield() {
      let found = reports {
        let owner = owner(1)
        owner.promise.shielded().cancel()
        owner.promise.shielded().map { $0 }.cancel()
        owner.promise.shielded().map { $0 }.map { $0 }.cancel()
        owner.fulfill(1)
      }
      #expect(found == [])
    }

    @Test("A call with upstream, a second call, and a call on a settled promise are not reported")
    func otherCalls() {
      let found = reports {
        let owner = owner(1)
        owner.promise.map { $0 }.cancel(upstream: true)
        let other = self.owner(2)
        let link = other.promise.map { $0 }
        link.map { $0 }.cancel(upstream: true)
        link.cancel()
        let third = self.owner(3)
        third.promise.cancel()
        third.promise.cancel()
        Promise.fulfilled(1).cancel()
      }
      #expect(found == [])
    }

    @Test("Work that the release of a handler stops inside the call is not reported", .rule("2.5"))
    func stoppedByRelease() {
      let found = reports {
        let owner = owner(1)
        let promise = owner.promise
        let link = promise.map { [atEnd = AtEnd { promise.cancel() }] value in
          withExtendedLifetime(atEnd) { value }
        }
        link.cancel()
        #expect(promise.isCancelled)
        withExtendedLifetime(owner) {}
      }
      #expect(found == [])
    }

    @Test("A promise that is given up because it was adopted or followed is stopped, and so is not reported")
    func givenUp() {
      let found = reports {
        let adopted = owner(1)
        let followed = owner(2)
        Promise.fulfilled(1).then(on: InlineContext.shared) { _ in adopted.promise }.cancel()
        let outer = Deferred<Int>()
        outer.follow(followed.promise)
        outer.promise.cancel()
        #expect(adopted.promise.isCancelled)
        #expect(followed.promise.isCancelled)
      }
      #expect(found == [])
    }

    @Test("A report describes the work, its label and the cancelled promise in one line")
    func description() {
      let log = Log<String>()
      let hook: @Sendable (UnstoppedWork) -> Void = { log.append("\($0)") }
      Diagnostics.scoped(unstoppedWork: hook) {
        let owner = Deferred<Int>(fileID: "Shop/Server.swift", line: 40)
        owner.onCancel { _ in }
        _ = owner.promise.labeled("price")
        owner.promise.map(fileID: "Shop/Cart.swift", line: 12) { $0 }.cancel()
        owner.fulfill(1)
      }
      #expect(
        log.entries == [
          """
          Shop/Server.swift:40: the work "price" goes on without a consumer, because the promise made at \
          Shop/Cart.swift:12 was cancelled without `upstream: true`
          """
        ])
    }

    @Test("A long chain above is looked at up to a limit")
    func limit() {
      let found = reports {
        let near = owner(1)
        let far = owner(2)
        func last(_ promise: Promise<Int>, after count: Int) -> Promise<Int> {
          (0..<count).reduce(promise) { promise, _ in promise.map { $0 } }
        }
        last(near.promise, after: 1_000).cancel()
        last(far.promise, after: 1_001).cancel()
        near.fulfill(1)
        far.fulfill(1)
      }
      #expect(found.map(\.work) == [1])
    }
  }
#endif
