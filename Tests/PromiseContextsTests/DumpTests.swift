import TestSupport
import Testing

@Suite("Printing with dump") struct DumpTests {
  private let world = TestWorld()
  private let log = Log<String>()

  @Test("dump prints the place, the label and the outcome once the promise is settled")
  func text() {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    let returned = world.run { promise.dump("user", to: log.append, fileID: "App/Names.swift", line: 7) }
    world.runUntilIdle()
    #expect(returned === promise)
    #expect(log.entries.isEmpty)
    deferred.fulfill(3)
    #expect(log.entries.isEmpty, "not in the call")
    world.runUntilIdle()
    #expect(log.entries == ["App/Names.swift:7: user: Promise<Int>, fulfilled: 3"])
  }

  @Test("dump prints errors, cancellations and the outcomes of settled promises on a single line")
  func outcomes() {
    world.run {
      Promise<Int>.rejected("a\nb").dump(to: log.append, fileID: "A.swift", line: 1)
      let cancelled = Promise<Int> { _ in }.dump("c", to: log.append, fileID: "A.swift", line: 2)
      cancelled.cancel()
      let pending = Promise<Int>.deferred()
      pending.promise.dump(to: log.append, fileID: "A.swift", line: 3)
      pending.promise.cancel()
    }
    world.runUntilIdle()
    #expect(log.entries.count == 3)
    #expect(log.entries.contains("A.swift:1: Promise<Int>, rejected: a b"))
    #expect(log.entries.contains { $0.hasPrefix("A.swift:2: c: Promise<Int>, rejected: the promise made at") })
    #expect(log.entries.contains { $0.hasPrefix("A.swift:3: Promise<Int>, cancelled: CancellationError") })
  }

  @Test("dump is not a consumer, so work stops even if its outcome would be printed", .rule("4.0"))
  func noConsumer() {
    let deferred = Deferred<Int>()
    world.run { deferred.promise.dump(to: log.append).map { $0 + 1 } }.cancel(upstream: true)
    #expect(deferred.promise.isCancelled)
    world.runUntilIdle()
    #expect(log.entries.count == 1)
  }

  @Test("A rejection that was only printed is still unhandled", .rule("7.1"))
  func unhandled() {
    let reports = Locked(0)
    let count: @Sendable (UnhandledRejection) -> Void = { _ in _ = reports.increment() }
    Diagnostics.scoped(unhandledRejection: count) {
      let context = ManualContext()
      Promise<Int>.rejected(TestError(1)).describeWhenSettled(on: context) { [log] in log.append($0) }
      context.runUntilIdle()
    }
    #expect(log.entries.count == 1)
    #expect(reports.withLock { $0 } == 1)
  }

  @Test("dump on a view returns the view, so that the chain continues")
  func view() {
    let chain = world.run {
      Promise.fulfilled(1).on(.main).dump("start", to: log.append).map { $0 + 1 }.dump("end", to: log.append)
    }
    world.runUntilIdle()
    #expect(chain.promise.result != nil)
    #expect(log.entries.count == 2)
    #expect(log.entries.last?.hasSuffix("end: Promise<Int>, fulfilled: 2") == true)
  }
}
