/// Hooks that run in one job of a context.
///
/// If the context drops the job, the hooks run on their fallback, or where they run if their owner has named no context,
/// because each runs exactly once (rule 4.5).
///
/// `@unchecked Sendable`: the hooks belong to the thread that runs the job, or else to `deinit`.
final class HookJob: @unchecked Sendable {
  private var hooks: [DueHook]

  init(_ hooks: [DueHook]) { self.hooks = hooks }

  deinit {
    if hooks.isEmpty { return }
    var due = DueHooks(of: .elsewhere)
    for hook in hooks { due.add(hook.afterDrop) }
    due.run()
  }

  func schedule(on context: any ExecutionContext) {
    guard let promise = hooks.first?.promise else { return }
    let body = ReactionBody { [self] _, _ in
      run()
      return .nothing
    }
    let reaction = Reaction(
      from: promise, to: nil, on: nil, traits: [.value, .error, .isNotConsumer, .runsHooks], body: body)
    reaction.markFired(on: context)
    context.schedule(Job(reaction))
  }

  private func run() {
    let hooks = hooks
    self.hooks = []
    HookRun.run(hooks)
  }
}
