/// Hooks that run in one job of a context.
///
/// If the context drops the job, the hooks run on their fallback, or where they run if their owner has named no context,
/// because each runs exactly once (rule 4.5).
///
/// `@unchecked Sendable`: the hooks belong to the thread that makes or runs the job, or else to `deinit`.
final class HookJob: @unchecked Sendable {
  private let context: any ExecutionContext
  private var hooks: [DueHook]

  init(_ hook: DueHook, on context: any ExecutionContext) {
    self.context = context
    hooks = [hook]
  }

  deinit {
    if hooks.isEmpty { return }
    var due = DueHooks(of: .elsewhere)
    for hook in hooks { due.add(hook.afterDrop) }
    due.run()
  }

  /// Adds a hook. The job is not scheduled yet.
  func add(_ hook: DueHook) { hooks.append(hook) }

  func schedule() {
    guard let promise = hooks.first?.promise else { return }
    let entry = Entry<Never>(
      from: promise, at: promise.site, [.isObserver, .value, .error, .isNotConsumer, .runsHooks], weight: 0)
    let body = HandlerBody { [self] _, _ in
      run()
      return .nothing
    }
    entry.start(on: context, body, source: promise)
  }

  private func run() {
    let hooks = hooks
    self.hooks = []
    UnnestedWork.run(hooks.map { due in { due.run() } })
  }
}
