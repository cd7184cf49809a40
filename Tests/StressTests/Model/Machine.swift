import PromiseCombinators
import TestSupport

/// Takes the steps of a program on promises, from any thread.
final class Machine: Sendable {
  private struct Content {
    var owners: [Deferred<Int>?] = []
    var promises: [Promise<Int>?] = []
    /// The number of hooks that each owner was given.
    var hooks: [Int] = []
    /// The captures of each handler. A handler with a closure for each outcome has two.
    var captures: [[Tracked.Census]] = []
    var everything: [Weak] = []
    /// The waiting Tasks by their numbers as handlers, with the promises that they await.
    var tasks: [Int: (promise: Int, task: Task<Void, Never>)] = [:]
    /// The promises with an unhandled rejection.
    var unhandled: [Int] = []
    /// The next numbers of the threads, as in the model.
    var nextNumbers: [Int: Model.NextNumbers] = [:]
    /// For each promise whose waiting Tasks the step has cancelled, the promises of the program that were pending when
    /// that call returned.
    var pendingAfterCancel: [Int: Set<Int>] = [:]
    /// The numbers that the observers of progress have seen.
    var progressLogs: [ProgressLog] = []
  }

  /// The number of the program's thread that is running.
  @TaskLocal static var thread = 0

  /// The machine that takes a step on this thread, and that receives the reports of the diagnostic hooks.
  @TaskLocal static var current: Machine?

  private struct Weak {
    weak var promise: Promise<Int>?
  }

  private let content = Locked(Content())
  /// The events of each thread.
  private let logs: [Locked<[Event]>]
  private let contexts: [ManualContext]
  private let dropping = DroppingContext()
  let executor = ManualExecutor()
  /// Where the cancellation of a waiting Task does what it must not do inside `task.cancel()`.
  let rest = ManualContext()
  let environment: WaitingTaskEnvironment

  init(threads: Int = 1) {
    Self.listens
    environment = WaitingTaskEnvironment(hookContext: rest)
    contexts = (0..<Step.countOfContexts - 1).map { ManualContext(isGrouping: $0 > 0) }
    logs = (0..<threads).map { _ in Locked([]) }
  }

  /// Returns the events of this thread since the previous call.
  func takeEvents() -> [Event] {
    logs[Self.thread].withLock { log in
      defer { log = [] }
      return log
    }
  }

  func note(_ event: Event) { logs[Self.thread].withLock { $0.append(event) } }

  func promise(_ number: Int) -> Promise<Int>? { content.withLock { $0.promises[number] } }

  var promises: [Promise<Int>?] { content.withLock { $0.promises } }

  /// The promises whose owners the program holds. The next property lists the promises that it holds itself.
  var owned: [Int] { content.withLock { content in content.owners.indices.filter { content.owners[$0] != nil } } }
  var held: [Int] { content.withLock { content in content.promises.indices.filter { content.promises[$0] != nil } } }

  var captures: [[Int]] { content.withLock { $0.captures }.map { $0.map(\.living) } }

  /// The promises with an unhandled rejection, in order.
  var unhandled: [Int] { content.withLock { $0.unhandled.sorted() } }

  /// Releases everything that a program has left over. Returns the numbers of promises and captures that are still
  /// alive.
  func finish() -> (promises: Int, captures: Int) {
    for owner in content.withLock(\.owners.indices) { withExtendedLifetime(takeOwner(owner)) {} }
    for promise in content.withLock(\.promises.indices) { withExtendedLifetime(takePromise(promise)) {} }
    while contexts.contains(where: { $0.runUntilIdle() + runTasks() > 0 }) {}
    return left
  }

  /// The numbers of promises and captures that are alive.
  var left: (promises: Int, captures: Int) {
    content.withLock { content in
      (content.everything.count { $0.promise != nil }, content.captures.joined().map(\.living).reduce(0, +))
    }
  }

  /// For each promise of a program of one thread, whether it is alive.
  var living: [Bool] { content.withLock { $0.everything.map { $0.promise != nil } } }

  /// For each settled promise of a program of one thread that is alive, whether it has finished.
  var finished: [Bool?] { mapSettled(\.isFinished) }

  /// For each settled promise of a program of one thread that is alive, the things that its `waitsFor` names.
  var named: [Observation.Named?] { mapSettled { Observation.Named($0.waitsFor) } }

  private func mapSettled<Reading>(_ read: (Promise<Int>) -> Reading) -> [Reading?] {
    content.withLock { $0.everything.map(\.promise) }.map { promise in
      guard let promise, !promise.isPending else { return nil }
      return read(promise)
    }
  }

  /// Returns the parent that the promise shows.
  func parent(of number: Int) -> Observation.Parent {
    guard let parent = promise(number)?.parent else { return .none }
    let index = content.withLock { $0.everything.firstIndex { $0.promise === parent } }
    return index.map { .promise($0) } ?? .none
  }

  // MARK: Steps

  func perform(_ step: Step) -> Bool? {
    switch step {
    case .make:
      let owner = Deferred<Int>(line: nextLine)
      append(owner.promise, owner)
    case .link(let source, let kind, let context, let behaviour):
      guard let source = promise(source) else { return nil }
      append(link(from: source, kind, on: self.context(context), behaviour))
    case .start(let kind, let context, let behaviour): append(start(kind, on: self.context(context), behaviour))
    case .shield(let source):
      guard let source = promise(source) else { return nil }
      _ = newHandler(.shielded)
      append(source.shielded(line: nextLine))
    case .combine(let combinator, let inputs):
      let promises = inputs.compactMap { promise($0) }
      guard promises.count == inputs.count else { return nil }
      append(combine(combinator, promises))
    case .observe(let source, let kind, let context, let act):
      observe(source, kind, on: self.context(context), doing: act)
    case .await(let source, let isCancelled, let cancelsSource):
      startTask(awaiting: source, isCancelled: isCancelled, cancelsSource: cancelsSource)
    case .cancelTasks(let source):
      let tasks = content.withLock { $0.tasks.filter { $0.value.promise == source } }
      for (_, waiter) in tasks.sorted(by: { $0.key < $1.key }) { waiter.task.cancel() }
      notePendingAfterCancel(ofTasksAwaiting: source)
      rest.runUntilIdle()
    case .settle(let promise, .value(let number)): return owner(promise)?.fulfill(number)
    case .settle(let promise, .failure(let failure)): return owner(promise)?.reject(failure.error)
    case .follow(let promise, let other):
      guard let other = self.promise(other) else { return nil }
      return owner(promise)?.follow(other)
    case .cancel(let promise, .cancellation, let upstream): self.promise(promise)?.cancel(upstream: upstream)
    case .cancel(let promise, let reason, let upstream):
      self.promise(promise)?.cancel(reason: reason.error, upstream: upstream)
    case .hook(let promise, let act): addHook(to: promise, doing: act)
    case .awaitedHook(let promise, let cause, let returned, let act):
      addHook(to: promise, cause, returning: returned, doing: act)
    case .report(let promise, let eighths):
      return owner(promise).map { $0.report(progress: Step.fraction(eighths: eighths) ?? .nan) }
    case .look(let number): if let promise = promise(number) { note(.progress(number, promise.progress)) }
    case .dropOwner(let promise): withExtendedLifetime(takeOwner(promise)) {}
    case .drop(let promise): withExtendedLifetime(takePromise(promise)) {}
    case .run(let context): run(context)
    case .dropJobs(let context): contexts[context].dropAll()
    }
    return nil
  }

  /// Runs jobs until a handler has run. On the last of these contexts, each job runs once more, which has no effect
  /// (rule 2.1).
  private func run(_ number: Int) {
    while let job = contexts[number].takeFirst() {
      job.run()
      if number == contexts.count - 1 { job.run() }
      if !logs[Self.thread].withLock(\.isEmpty) { return }
    }
  }

  private func owner(_ number: Int) -> Deferred<Int>? { content.withLock { $0.owners[number] } }

  private func takeOwner(_ number: Int) -> Deferred<Int>? { content.withLock { $0.owners[number].take() } }

  private func takePromise(_ number: Int) -> Promise<Int>? { content.withLock { $0.promises[number].take() } }

  private func context(_ number: Int) -> any ExecutionContext {
    Step.dropsJobs(number) ? dropping : contexts[number]
  }

  func remember(_ task: Task<Void, Never>, _ handler: Int, awaiting promise: Int) {
    content.withLock { $0.tasks[handler] = (promise, task) }
  }

  func forgetTask(_ handler: Int) { _ = content.withLock { $0.tasks.removeValue(forKey: handler) } }

  private func notePendingAfterCancel(ofTasksAwaiting source: Int) {
    let promises = promises
    let pending = promises.indices.filter { promises[$0]?.isPending == true }
    content.withLock { $0.pendingAfterCancel[source] = Set(pending) }
  }

  /// Returns, for each promise whose waiting Tasks the last step has cancelled, the promises that were pending when
  /// that call returned.
  func takePendingAfterCancel() -> [Int: Set<Int>] {
    content.withLock { content in
      defer { content.pendingAfterCancel = [:] }
      return content.pendingAfterCancel
    }
  }

  func note(_ log: ProgressLog) { content.withLock { $0.progressLogs.append(log) } }

  /// Returns how the observers of progress, of promises that the program still holds, have seen a rule broken, or `nil`.
  ///
  /// - Parameter program: All steps that were taken. All jobs have run.
  func differenceOfProgress(in program: [Step]) -> String? {
    for log in content.withLock(\.progressLogs) {
      guard let promise = promise(log.promise), let difference = log.difference(from: promise, in: program) else {
        continue
      }
      return "progress of promise \(log.promise): \(difference)"
    }
    return nil
  }

  func noteUnhandled(_ promise: Int) { content.withLock { $0.unhandled.append(promise) } }

  private func append(_ promise: Promise<Int>, _ owner: Deferred<Int>? = nil) {
    let thread = Self.thread
    content.withLock { content in
      content.everything.append(Weak(promise: promise))
      if let next = content.nextNumbers[thread] {
        content.promises[next.promise] = promise
        content.owners[next.promise] = owner
        content.nextNumbers[thread]?.promise += 1
      } else {
        content.promises.append(promise)
        content.owners.append(owner)
        content.hooks.append(0)
      }
    }
  }

  private func addHook(
    to promise: Int, _ cause: Step.HookCause = .cancel, returning returned: Int? = nil, doing act: Step?
  ) {
    guard let owner = owner(promise) else { return }
    let number = content.withLock { content in
      defer { content.hooks[promise] += 1 }
      return content.hooks[promise]
    }
    let body: @Sendable (SeenOutcome) -> Void = { [self] seenOutcome in
      note(.hook(of: promise, number, seenOutcome))
      if let act { note(.answered(perform(act))) }
    }
    let end: @Sendable () -> Promise<Int> = { [self] in returned.flatMap { self.promise($0) } ?? .fulfilled(0) }
    let line = Step.line(ofHooksOf: promise)
    // Without this context, hooks of promises that a settlement or a Task gives up would run on the pool, in no order
    // with the steps.
    switch cause {
    case .cancel where returned == nil: owner.onCancel(on: .atOnce) { body(.failure(Outcome.Failure($0))) }
    case .cancel:
      owner.onCancelThen(on: .atOnce, line: line) { reason in
        body(.failure(Outcome.Failure(reason)))
        return end()
      }
    case .anyEnd:
      owner.onEndThen(on: .atOnce, line: line) { result in
        body(SeenOutcome(result))
        return end()
      }
    }
  }

  /// The line of the next creation site. It distinguishes promises in errors.
  var nextLine: UInt {
    let thread = Self.thread
    return UInt(content.withLock { $0.nextNumbers[thread]?.promise ?? $0.promises.count })
  }

  /// Returns the number of the next handler, and the objects that its closures capture.
  func newHandler(_ kind: Kind) -> (number: Int, captures: [Tracked]) {
    let censuses = (0..<(kind == .shielded ? 0 : kind.hasTwoHandlers ? 2 : 1)).map { _ in Tracked.Census() }
    let thread = Self.thread
    let number = content.withLock { content in
      guard let next = content.nextNumbers[thread] else {
        content.captures.append(censuses)
        return content.captures.count - 1
      }
      content.captures[next.handler] = censuses
      content.nextNumbers[thread]?.handler += 1
      return next.handler
    }
    return (number, censuses.map { Tracked($0) })
  }

  /// Makes room for the promises and handlers of threads. From now on, each thread puts them in its own place.
  func reserve(promises: Int, handlers: Int, nextNumbers: [Model.NextNumbers]) {
    content.withLock { content in
      content.promises += Array(repeating: nil, count: promises)
      content.owners += Array(repeating: nil, count: promises)
      content.hooks += Array(repeating: 0, count: promises)
      content.captures += Array(repeating: [], count: handlers)
      for (thread, next) in nextNumbers.enumerated() { content.nextNumbers[thread] = next }
    }
  }
}
