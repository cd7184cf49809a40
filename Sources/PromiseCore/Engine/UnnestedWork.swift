import Synchronization

/// Settlements that are caused by a release, hooks, and handlers inside the call that settles. None may nest deeply.
///
/// A promise is settled because an object was released: an owner, a client promise, a bag, or a job that a context
/// drops (rules 4.6 and 6.2). This happens in a `deinit`, or in the call that schedules a handler. Each such settlement
/// may release further handlers and owners, and so on along a chain. In the same way a hook may cancel a promise whose
/// hook cancels another (rule 4.5). A handler of the library may settle the promise of another one (rule 2.1).
///
/// Therefore the first such call on a thread opens a queue, calls inside it only append to the queue, and the first
/// call works it off in a loop (rule 6.4). Inside a hook, a release settles at once, because the hook may rely on it.
/// Handlers nest up to a limit.
///
/// The queue is a task-local value. On a thread without a Task, that is a thread-local value. A Task that is created
/// meanwhile inherits the value, but must not use the queue, because no thread would work it off before the call of the
/// Task returns. Therefore the queue records its Task. Another Task may have the same identity later, so the queue also
/// records that it has ended. A step of a test environment does not use it either, because the call that would work the
/// queue off may wait for the step (``DiagnosticsScope/runStep(_:)``), and neither does what a run loop runs in a wait.
///
/// `@unchecked Sendable`, because only the Task or thread that has opened the queue accesses the plain fields.
package final class UnnestedWork: @unchecked Sendable {
  @TaskLocal private static var current: UnnestedWork?
  @TaskLocal private static var inlineDepth = InlineDepth()

  private let task: Int?
  private let hasEnded = Atomic<Bool>(false)
  private var settlements = WorkQueue<() -> Void>()
  private var isSettling = false
  /// The next hook is the last element.
  private var hooks: [() -> Void] = []
  /// The hooks that the running hook has caused, in order.
  private var causedHooks: [() -> Void] = []
  private var isRunningHooks = false

  /// The number of jobs of the ``InlineContext`` that are running inside each other.
  private struct InlineDepth {
    /// The Task in which they run. A Task that one of them creates inherits the value, which does not hold for it.
    var task: Int?
    var count = 0
  }

  private init(in task: Int?) { self.task = task }

  /// Calls the body with the queue of this thread or Task, which is opened if there is none.
  private static func withQueue(_ body: (UnnestedWork) -> Void) {
    let task = runningTask
    // Relaxed, because the comparison matters only if the same thread has written it, or a Task whose memory, and so
    // whose identity, a later Task has.
    if let current, current.task == task, !current.hasEnded.load(ordering: .relaxed) { return body(current) }
    let queue = UnnestedWork(in: task)
    $current.withValue(queue) { body(queue) }
    queue.hasEnded.store(true, ordering: .relaxed)
  }

  /// Calls the body as a thread of its own would, so that work inside it is done before it returns and not by the
  /// outermost call on this thread.
  package static func withoutOuterQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(nil, operation: body)
  }

  /// Does the work, which settles promises, before it returns. Inside other such work, the outermost call does it
  /// later.
  @inline(never)
  static func settle(_ work: @escaping () -> Void) { withQueue { $0.settle(work) } }

  /// Runs a job of the ``InlineContext`` before it returns. Deep inside other such jobs, one of these runs it later.
  static func runInline(_ job: consuming EngineJob) {
    let job = job.take()
    let task = runningTask
    let depth = inlineDepth.task == task ? inlineDepth.count : 0
    // Any number that leaves most of a small stack. Below it, what a handler starts has started when the call returns.
    if depth == 16 { return settle { job.run() } }
    $inlineDepth.withValue(InlineDepth(task: task, count: depth + 1)) { job.run() }
  }

  /// Runs hooks before it returns. Inside another hook on the same thread, the outermost call runs them later.
  static func run(_ hooks: [() -> Void]) { withQueue { $0.run(hooks) } }

  private func settle(_ work: @escaping () -> Void) {
    settlements.append(work)
    if isSettling { return }
    isSettling = true
    while let next = settlements.popFirst() { next() }
    isSettling = false
  }

  private func run(_ new: [() -> Void]) {
    causedHooks += new
    if isRunningHooks { return }
    isRunningHooks = true
    let wasSettling = isSettling
    isSettling = false
    while true {
      hooks += causedHooks.reversed()
      causedHooks = []
      guard let hook = hooks.popLast() else { break }
      hook()
    }
    isSettling = wasSettling
    isRunningHooks = false
  }
}

extension UnnestedWork {
  /// Rejects a promise because of a release.
  static func reject(_ promise: AnyPromise, with error: PromiseError) {
    settle { _ = promise.rejectAsOwner(error) }
  }

  /// Cancels promises in one cancellation, with what they wait for (rule 4.6).
  static func cancel(_ promises: [AnyPromise]) {
    if promises.isEmpty { return }
    settle {
      var cancellation = Cancellation(because: CancellationError(), hooksRun: .elsewhere)
      for promise in promises { cancellation.add(promise, upstream: true) }
      cancellation.run()
    }
  }

  /// Cancels a promise that no client retains, unless it has a client or a consumer again.
  static func giveUpUnobserved(_ promise: AnyPromise) {
    settle {
      var cancellation = Cancellation(ofUnobserved: promise, hooksRun: .elsewhere)
      cancellation.run()
    }
  }
}

/// A number that distinguishes the running Task from others that exist at the same time. `nil` if the thread runs no
/// Task.
package var runningTask: Int? {
  // Safe, because the number is only compared.
  unsafe withUnsafeCurrentTask { unsafe $0?.hashValue }
}
