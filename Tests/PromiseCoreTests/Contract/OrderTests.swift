import TestSupport
import Testing

@Suite("Order of handlers") struct OrderTests {
  let deferred = Deferred<Int>()
  let log = Log<Int>()

  @Test("Handlers on a context run in attachment order", .rule("2.2"), arguments: Settlement.allCases, [false, true])
  func attachmentOrder(_ settlement: Settlement, grouping: Bool) {
    let context = ManualContext(isGrouping: grouping)
    let log = Log<String>()
    let kinds = LinkKind.allCases + LinkKind.allCases.reversed()
    let running = kinds.filter { settlement.runsHandler(of: $0) }.map(\.rawValue)
    func attach() {
      for kind in kinds { _ = kind.attach(to: deferred.promise, on: context, giving: 2) { log.append(kind.rawValue) } }
    }
    attach()
    deferred.settle(settlement.result)
    attach()
    context.runUntilIdle()
    #expect(log.entries == running + running)
  }

  @Test("Each of two contexts keeps its own order of handlers", .rule("2.2"), arguments: [false, true])
  func twoContexts(grouping: Bool) {
    let contexts = [ManualContext(isGrouping: grouping), ManualContext(isGrouping: grouping)]
    for number in 0..<10 {
      // The handlers form runs of one and of two. The first context gets 0, the second 1 and 2, the first 3, and so on.
      deferred.promise.onFulfilled(on: contexts[number % 3 == 0 ? 0 : 1]) { _ in log.append(number) }
    }
    deferred.fulfill(1)
    contexts[1].runUntilIdle()
    contexts[0].runUntilIdle()
    #expect(log.entries == [1, 2, 4, 5, 7, 8, 0, 3, 6, 9])
  }

  @Test("Handlers that run on one grouping context travel in one batch, and other handlers by themselves", .rule("2.2"))
  func batches() {
    let contexts = [true, true, false].map { BatchCounter(isGrouping: $0) }
    deferred.promise.onFulfilled(on: contexts[0]) { _ in }.onRejected(on: contexts[0]) { _ in }
    deferred.promise.tap(on: contexts[1]) { _ in }
    deferred.promise.catch(on: contexts[0]) { _ in }
    deferred.promise.onSettled(on: contexts[0]) { _ in }
    for _ in 0..<3 { deferred.promise.onFulfilled(on: contexts[2]) { _ in } }
    deferred.fulfill(1)
    for _ in 0..<3 { deferred.promise.onFulfilled(on: contexts[1]) { _ in } }
    #expect(contexts.map(\.batches.entries) == [[2], [1, 1, 1, 1], [1, 1, 1]])
  }

  @Test("A kept handler for an error keeps its place among the others", .rule("2.1", "2.2", "2.5"))
  func keptHandler() {
    let context = ManualContext()
    deferred.promise.onRejected(on: context) { _ in log.append(1) }
    let kept = deferred.promise.catch(on: context) { _ in log.append(2) }
    deferred.promise.onRejected(on: context) { _ in log.append(3) }
    kept.cancel()
    deferred.reject(TestError(1))
    context.runUntilIdle()
    #expect(log.entries == [1, 2, 3])
  }

  /// A context that logs the sizes of the batches in which jobs arrive, and runs none of them.
  private final class BatchCounter: ExecutionContext {
    let batches = Log<Int>()
    private let isGrouping: Bool

    init(isGrouping: Bool) { self.isGrouping = isGrouping }

    var identity: ObjectIdentifier? { isGrouping ? ObjectIdentifier(self) : nil }

    func schedule(_ job: consuming Job) { schedule(batch: [job]) }
    func schedule(batch: consuming [Job]) { batches.append(batch.count) }
  }

  /// A context without batches, to which handlers may travel together. It logs its number for each job.
  private final class Recording: ExecutionContext {
    let jobs = Trampoline()
    private let number: Int
    private let isGrouping: Bool
    private let log: Log<Int>

    init(_ number: Int, isGrouping: Bool, in log: Log<Int>) {
      (self.number, self.isGrouping, self.log) = (number, isGrouping, log)
    }

    var identity: ObjectIdentifier? { isGrouping ? ObjectIdentifier(self) : nil }

    func schedule(_ job: consuming Job) {
      log.append(number)
      jobs.schedule(job)
    }
  }

  @Test("Contexts receive the handlers of one settlement in order of attachment, even without grouping", .rule("2.2"))
  func orderOfScheduling() {
    let contexts = [true, false, true].enumerated().map { Recording($0.offset, isGrouping: $0.element, in: log) }
    for context in contexts { deferred.promise.onFulfilled(on: context) { _ in } }
    deferred.fulfill(1)
    #expect(log.entries == [0, 1, 2])
    for context in contexts { context.jobs.run() }
  }

  @Test("Handlers that travel together run in order, even on a context that takes its jobs one by one", .rule("2.2"))
  func oneByOne() {
    let context = Recording(0, isGrouping: true, in: Log())
    for number in 0..<5 { deferred.promise.onFulfilled(on: context) { _ in log.append(number) } }
    deferred.fulfill(1)
    #expect(log.entries.isEmpty)
    context.jobs.run()
    #expect(log.entries == [0, 1, 2, 3, 4])
  }

  @TaskLocal private static var isSettling = false

  @Test("A call that settles a promise ends, even if each handler that it schedules leads to another", .rule("2.2"))
  func endlessHandlers() {
    let context = Locked<CallingContext?>(nil)
    let attach: @Sendable () -> Void = { [log, promise = deferred.promise] in
      // The pool, which goes on with the handlers later, has no task-local values.
      guard Self.isSettling, log.entries.count < 1_000, let context = context.withLock({ $0 }) else { return }
      promise.onFulfilled(on: context) { log.append($0) }
    }
    context.withLock { $0 = CallingContext { attach() } }
    Self.$isSettling.withValue(true) {
      attach()
      deferred.fulfill(1)
    }
    context.withLock { $0 = nil }
    #expect(log.entries.count > 1)
    #expect(log.entries.count < 1_000)
  }
}
