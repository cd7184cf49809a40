/// The reference model, which states as plainly as possible how promises must behave. It uses numbers in place of
/// references. It is written from `Docs/Semantics.md`, not from the engine.
///
/// A call consists of a few actions of its thread. Each action happens at once, such as settling a promise, firing a
/// handler or giving up a promise. Actions of other threads may come in between. A program of one thread takes its
/// actions one after another.
///
/// ## How the pieces fit
///
///     seed ─▶ Generator ─▶ [Step] ─▶ Machine ─▶ Observations ─▶ Comparison ─▶ Campaign ─▶ Shrinker
///                            └─────▶ Model ──────────▲ (Orders)
///
/// - `Generator` makes a program, `[Step]`, from a seed. Its promises and handlers have numbers.
/// - `Machine` takes the steps on promises, and returns an `Observation` for each step.
/// - `Model` takes the same steps. `Model+Steps` begins a call. `Model+Actions` has the effects of the call and their
///   order. The other extensions follow the chapters of the contract. They are `+Handlers` (2), `+Cleanups` (2.10),
///   `+Finishing` (2.11),
///   `+Settling` (1 and 3), `+Cancelling` (4), `+Combining` (4.8), `+Progress` (5), `+Lifetime` (6.1 and 6.3) and
///   `+Examining` (7.1).
/// - `Comparison` is the verdict on one program. If the model differs, `Orders` looks for another order of the effects
///   of a call that explains the observations, among those that the contract leaves open.
/// - `Campaign` takes the programs of many seeds, and `Shrinker` makes a failing program smaller. `RandomProgramTests`
///   is the short form for `make test-slow`, and `SoakTests` is the long form.
/// - `Concurrent` runs a prefix, and then steps of several threads, on many machines. `Explanation` looks for an order
///   of the actions of all threads in which the model has the same observations and reaches the same end.
///
/// ## Omissions
///
/// Programs that the contract leaves open (`isOpen`) are not examined any further. Threads neither wait in Tasks, nor
/// begin cleanups. The model follows neither what observers of progress receive, nor reports of several threads.
/// `ProgressLog` checks the rules that hold for both in every order. No count of consumers comes near its limit (rule
/// 4.0).
struct Model: Hashable {
  struct Node: Hashable {
    var outcome: Outcome?
    /// Whether the handlers of the promise are being fired, or have been.
    var isPublished = false
    /// Whether all immediate effects of the settlement have happened.
    var isClosed = false
    /// Whether a cancellation has settled the promise, and not its owner or the outcome of another promise (rules 4.2
    /// and 4.4).
    var isCancelled = false
    /// Whether the outcome of a cancellation can be read although the handlers have not been fired.
    var isRevealed = false
    /// The thread that settled the promise.
    var settler = 0
    /// The number of settled consumers that have yet to leave the promise or to give it up.
    var leaving = 0
    var hasOwner = false
    /// Whether the program has a reference to the promise.
    var isHeld = true
    /// The promises that this promise has adopted, or follows, and for which it still waits.
    var follows: [Int] = []
    /// The promises that this promise has ever adopted or followed.
    var adopted: Set<Int> = []
    /// The promise above this promise (rule 4.0).
    var parent: Int?
    /// The handler that makes the outcome.
    var producer: Int?
    var hooks: [Hook] = []
    var countOfHooks = 0
    var combination: Combination?
    /// The weight of all links up to this promise, together with the root's 1 (rule 5.4).
    var weight = 1.0
    /// The highest progress that was shown while the promise was pending, and afterwards the final progress.
    var shown = 0.0
    /// How often something has looked at the rejection, which then need not be reported (rule 7.1).
    var looks = 0
    /// The adopted promise that has settled this promise and that the library may have put in its place (rule 3.3).
    var replacement: Int?
    /// Whether a handler has seen the rejection, or a promise outside the ring has the duty to report it.
    var isSeen = false
    /// Whether a `catch` further up has handled the rejection.
    var hasArrivedLookedAt = false
    /// The promise that closed the ring to which this promise belongs. The promises of a ring have one report (rule
    /// 7.1).
    var ring: Int?
    /// Whether the rules leave open if the rejection is reported.
    var isReportOpen = false
    /// The cancellation that has settled the promise, or the number of the settlement with which it has given up
    /// others.
    var call: Int?
    /// The promises that were settled when this promise was, and that it counts (rule 2.11).
    var counted: Set<Int> = []
    /// The promises that this promise counts even if they are still pending: that of its cleanup, and those that its
    /// hooks have returned.
    var awaited: Set<Int> = []
    /// Whether a promise that was settled before may count this one, which it has given up.
    var isCountedLate = false
    /// Whether the promise counts its handler, which runs for a cancellation.
    var countsHandler = false
    /// The number of counted hooks that have not returned, and of handlers whose result is not known to be counted yet.
    var holds = 0
    /// The promise of the cleanup that the handler has begun, until this promise is settled (rule 2.10).
    var cleanup: Int?
    /// Whether a handler has returned the promise as that of a cleanup. Such a promise keeps a consumer.
    var isCleanup = false

    /// Hashes what differs most between the states that `Explanation` and `Orders` compare. To hash all takes long.
    func hash(into hasher: inout Hasher) {
      hasher.combine(outcome)
      hasher.combine(leaving)
      hasher.combine(follows)
      hasher.combine((isPublished ? 1 : 0) + (isClosed ? 2 : 0) + (isRevealed ? 4 : 0))
    }
  }

  struct Hook: Hashable {
    let number: Int
    let act: Step?
    var cause = Step.HookCause.cancel
    /// The promise that the hook returns. `nil` if the hook is not awaited.
    var returned: Int?
  }

  /// The report of a promise that the library has between two promises of the program.
  struct Report: Hashable {
    /// The number in the creation site.
    let site: Int
    /// The promises that were in a ring with that promise. If one of them also has the error of a ring, the two rings
    /// have one report together.
    var ring: Set<Int> = []
    /// Whether the rules leave open if there is this report.
    var isOpen = false
  }

  /// The inputs of a combinator.
  struct Combination: Hashable {
    let combinator: Combinator
    let inputs: [Int]
    /// For each input, whether the combinator still waits for it. Once the result is settled, it waits for none.
    var isWaiting: [Bool]
    var firstFailure: Int?
    /// The inputs that are settled, in the order in which they have arrived.
    var arrived: [Int] = []
  }

  struct Handler: Hashable {
    enum State: Hashable {
      case waiting
      /// A cancellation has decided the outcome for the handler, and has yet to enqueue the handler.
      case decided(SeenOutcome)
      case ready(SeenOutcome)
      case started(SeenOutcome)
      case gone
    }

    let kind: Kind
    let source: Int?
    let target: Int?
    /// The context, or `nil` if the handler runs where its promise is settled.
    let context: Int?
    let behaviour: Step.Behaviour
    /// The place in the order of handlers (rule 2.2). `nil` until the handler is fired that was attached to a promise
    /// whose entries have been fired, because calls that attach at the same time each fire their own handler.
    var order: Int?
    var state = State.waiting
    /// Whether a cancellation has enqueued the handler, and not the promise to which it is attached (rule 2.5).
    var isEnqueuedByCancel = false
    /// Whether the context may still have the job of a handler that will not run.
    var leavesJob = false

    /// Hashes what differs between the states of one program.
    func hash(into hasher: inout Hasher) {
      hasher.combine(order)
      hasher.combine(state)
    }
  }

  /// A cancellation.
  struct Call: Hashable {
    let reason: Outcome
    /// All calls with which one cancellation reaches promises have its number.
    let number: Int
    /// A promise, settled before, that counts the promise that is given up.
    var lateConsumer: Int?
    /// Whether the source and the inputs of the promise are given up, and not only left (rule 4.4).
    var goesUp = false
  }

  enum Action: Hashable {
    /// Passes the outcome of a promise to another, by a link or to an adopter.
    case pass(to: Int, from: Int)
    case publish(Int)
    case fire(Int)
    /// Cancels a promise by name or from above.
    case cancel(Int, Call)
    case reveal(Int)
    case descend(Int, Call)
    /// Descends again after all promises below have been cancelled, for those that were attached meanwhile.
    case descendAgain(Int, Call)
    /// Makes a consumer give up a promise.
    case giveUp(Int, by: Int?, Call)
    /// Makes a settled promise leave its source, and the promises for which it waited and which it does not give up.
    case depart(Int, from: [Int])
    /// Withdraws the handler of a cancelled promise.
    case withdraw(Int)
    case enqueue(Int)
    case dropJob(Int)
    /// Decides whether a promise that was settled before counts another that it has given up.
    case countLate(Int, by: Int)
    /// Rejects the promise of a handler whose job was dropped while an owner was released.
    case rejectDropped(Int)
    /// Makes a handler return, after its `first` step.
    case finish(Int)
    /// Takes the first step of a handler, or the only step of a hook.
    case inner(Step)
    case answer(Bool?)
    case hook(Int, Hook, SeenOutcome)
    /// Makes a hook return.
    case endHook(Int, Hook)
    /// Runs a hook that was registered after the settlement.
    case lateHook(Int, Hook, SeenOutcome)
    /// Passes the outcome on of a promise that has waited for its cleanup.
    case endCleanup(Int)
    /// Takes the outcome of the input with that number.
    case take(Int, input: Int)
    case breakRing(Int)
    /// Reports an owner that was too late.
    case second(Int)
    /// Notes that all immediate effects of a settlement have happened.
    case close(Int)
  }

  var nodes: [Node] = []
  var handlers: [Handler] = []
  var countOfAttached = 0
  var countOfCalls = 0
  /// The reports of rejections that are not those of a promise of the program.
  var otherReports: [Report] = []
  /// For each thread, its remaining actions, with those of the innermost call last.
  var todo: [[[Action]]]
  /// For each thread that runs a hook, the frame at which the actions of that hook begin.
  var hookFrame: [Int?]
  /// For each thread, whether its step releases an owner or a job. Rejections because of further releases then come at
  /// the end (rule 6.4), before or after the hooks.
  var isReleasing: [Bool]
  /// For each cancellation with which the step has cancelled a waiting Task, the promise for which the Task waited.
  var callsOfTasks: [Int: Int] = [:]
  /// The visible events of the step.
  var events: [Event] = []
  /// The order of hooks (rule 4.5).
  var hookOrder = HookOrder()
  /// Whether the contract leaves open how the last step ended, because the library may have bypassed a promise (rule
  /// 3.3).
  var isOpen = false
  /// Whether no rule determines the progress of one of the promises.
  var isProgressOpen = false
  /// For each thread, the numbers of its next promise and handler, if several threads make them at the same time.
  var nextNumbers: [NextNumbers?]
  /// A rule that this model does not keep, for tests of the comparison.
  let brokenRule: BrokenRule?

  struct NextNumbers: Hashable {
    var promise: Int
    var handler: Int
  }

  init(threads: Int = 1, breaking brokenRule: BrokenRule? = nil) {
    todo = Array(repeating: [], count: threads)
    hookFrame = Array(repeating: nil, count: threads)
    isReleasing = Array(repeating: false, count: threads)
    nextNumbers = Array(repeating: nil, count: threads)
    self.brokenRule = brokenRule
  }

  /// Whether there is one thread.
  var isAlone: Bool { todo.count == 1 }
}

extension Model.Action {
  /// Whether the action cancels promises below another. This comes before handlers are enqueued and outcomes pass, so
  /// no handler turns the cancellation into a value (rule 4.3).
  var goesDown: Bool {
    switch self {
    case .cancel, .reveal, .descend, .withdraw: true
    default: false
    }
  }

  var givesUp: Bool { if case .giveUp = self { true } else { false } }

  var looksAgain: Bool { if case .descendAgain = self { true } else { false } }

  /// Whether the action comes when everything is decided that a cancellation gives up (rule 2.11).
  var countsLate: Bool { if case .countLate = self { true } else { false } }

  /// Whether the action comes last. Hooks run after all promises that the call settles are settled (rule 4.5). The
  /// rules do not say when a late owner is reported.
  var comesLast: Bool {
    switch self {
    case .countLate, .close, .hook, .lateHook, .rejectDropped, .second: true
    default: false
    }
  }
}
