/// The reference model: it says what promises must do, as plainly as possible, with numbers in place of references. It is written from
/// `Docs/Semantics.md`, not from the engine.
///
/// A call is a few actions of its thread, each of which happens at once: to settle one promise, to fire one handler, to give up
/// one promise. Between the actions of one thread those of others may come. A program of one thread takes its actions one after
/// the other.
///
/// ## How the pieces fit
///
///     seed ─▶ Generator ─▶ [Step] ─▶ Machine ─▶ Observations ─▶ Comparison ─▶ Campaign ─▶ Shrinker
///                            └─────▶ Model ──────────▲ (Orders)
///
/// - `Generator` makes a program, `[Step]`, of a seed. Its promises and handlers have numbers.
/// - `Machine` takes the steps on promises, and says what was seen: an `Observation` for each.
/// - `Model` takes the same steps. `Model+Steps`: what a call begins. `Model+Actions`: what it brings about, and in which order.
///   The rest by the chapters of the contract: `+Handlers` (2), `+Settling` (1 and 3), `+Cancelling` (4), `+Combining` (4.8),
///   `+Progress` (5), `+Lifetime` (6.1 and 6.3), `+Examining` (7.1).
/// - `Comparison` is the verdict on one program. Where the model differs, `Orders` looks for another order of what a call brought
///   about, of those that the contract leaves open, that explains what was seen.
/// - `Campaign` takes the programs of many seeds, and `Shrinker` makes a failing program smaller. `RandomProgramTests` is the short
///   form for `make test-slow`, `SoakTests` the long one for `make soak`.
/// - `Concurrent`: a prefix and then steps of several threads, on many machines. `Explanation` looks for an order of the actions of
///   all threads in which the model does what was seen, and at the end has come to the same.
///
/// ## What is left out
/// Programs which the contract leaves open (`isOpen`) are not looked at any further. Threads neither report progress nor wait in
/// Tasks. No count of consumers comes near its limit (rule 4.0).
struct Model: Hashable {
  struct Node: Hashable {
    var outcome: Outcome?
    /// Its handlers are being fired, or have been.
    var isPublished = false
    /// All that its settlement brings about at once has been done.
    var isClosed = false
    /// A cancellation has settled it, and not its owner or the outcome of another promise (rules 4.2 and 4.4).
    var isCancelled = false
    /// The outcome that the cancellation gave it can be read, although its handlers have not been fired.
    var isRevealed = false
    /// The thread that settled it.
    var settler = 0
    /// Consumers that are settled, and have yet to leave it or to give it up.
    var leaving = 0
    var hasOwner = false
    /// The program has a reference to it.
    var isHeld = true
    /// The promises that it has adopted, or follows, and still waits for.
    var follows: [Int] = []
    /// The promises that it has ever adopted or followed.
    var adopted: Set<Int> = []
    /// The promise that it is below (rule 4.0).
    var parent: Int?
    /// The handler that makes its outcome.
    var producer: Int?
    var hooks: [Hook] = []
    var countOfHooks = 0
    var combination: Combination?
    /// Rule 5.4: what all links up to it weigh together, with the root's 1.
    var weight = 1.0
    /// The highest progress that was shown while it was pending; then where it ended.
    var shown = 0.0
    /// Rule 7.1: its rejection need not be reported.
    var isLookedAt = false
    /// A handler was shown its rejection.
    var isSeen = false
    /// Its rejection was looked at further up, by a `catch`.
    var hasArrivedLookedAt = false
    /// The promise that closed the ring of which it is part. The promises of a ring have one report (rule 7.1).
    var ring: Int?
    /// The rules do not say whether its rejection is reported.
    var isReportOpen = false
  }

  struct Hook: Hashable {
    let number: Int
    let act: Step?
  }

  /// The inputs of a combinator.
  struct Combination: Hashable {
    let combinator: Combinator
    let inputs: [Int]
    /// For each input, whether it has not been taken yet. None is once the result is settled.
    var isWaiting: [Bool]
    var firstFailure: Int?
  }

  struct Handler: Hashable {
    enum State: Hashable {
      case waiting
      /// The Task that waits was cancelled, and has not been resumed yet.
      case calledOff
      /// A cancellation has decided what it will be shown, and has yet to enqueue it.
      case decided(Sight)
      case ready(Sight)
      case started(Sight)
      case gone
    }

    let kind: Kind
    let source: Int?
    let target: Int?
    /// `nil`: it runs where its promise is settled.
    let context: Int?
    let deed: Step.Deed
    /// How many were attached before.
    let order: Int
    var state = State.waiting
    /// Enqueued by a cancellation, and not by its own promise (rule 2.5).
    var isEnqueuedByCancel = false
    /// It stays for an error although its promise was cancelled, and does not retain the reason (rule 4.9).
    var isKept = false
    /// It will not run, but its context may still have the job.
    var leavesJob = false
  }

  /// A cancellation.
  struct Call: Hashable {
    let reason: Outcome
    /// The source and the inputs of the promise are given up, and not only left (rule 4.4).
    var goesUp = false
  }

  enum Action: Hashable {
    /// The outcome of a promise passes to another, by a link or to an adopter.
    case pass(to: Int, from: Int)
    case publish(Int)
    case fire(Int)
    /// By name, or from above.
    case cancel(Int, Call)
    case reveal(Int)
    case descend(Int, Call)
    /// The same when all that was found has been cancelled, for what came meanwhile.
    case descendAgain(Int, Call)
    /// A consumer gives the promise up.
    case giveUp(Int, by: Int?, Call)
    /// A settled promise leaves its source, and those that it waited for and does not give up.
    case depart(Int, from: [Int])
    /// The promise of a handler was cancelled.
    case withdraw(Int)
    case enqueue(Int)
    case dropJob(Int)
    /// The handler has done its `first`, and returns.
    case finish(Int)
    /// A handler takes its first step, or a hook its only one.
    case inner(Step)
    case answer(Bool?)
    case hook(Int, Hook, Outcome.Failure)
    /// A hook that was registered after the cancellation.
    case lateHook(Int, Hook, Outcome.Failure)
    /// An input of that number has been settled.
    case take(Int, input: Int)
    case breakRing(Int)
    /// A cancelled Task leaves, or gives up, what it has waited for.
    case resume(Int)
    /// An owner was too late.
    case second(Int)
    /// All that the settlement of a promise brought about at once has been done.
    case close(Int)
  }

  var nodes: [Node] = []
  var handlers: [Handler] = []
  var countOfAttached = 0
  /// For each thread what it has to do, innermost call last.
  var todo: [[[Action]]]
  /// For each thread where the actions of the hook begin that it is running, if it runs one.
  var hookFrame: [Int?]
  /// The visible events of the step.
  var events: [Event] = []
  /// The order of hooks (rule 4.5).
  var hookOrder = HookOrder()
  /// A promise may have been passed over (rule 3.3): the contract leaves open how the last step ended.
  var isOpen = false
  /// No rule says how far one of the promises has come.
  var isProgressOpen = false
  /// The numbers of what a thread makes next, if several make promises and handlers at the same time.
  var places: [Place?]
  /// For tests of the comparison.
  let brokenRule: BrokenRule?

  struct Place: Hashable {
    var promise: Int
    var handler: Int
  }

  init(threads: Int = 1, breaking brokenRule: BrokenRule? = nil) {
    todo = Array(repeating: [], count: threads)
    hookFrame = Array(repeating: nil, count: threads)
    places = Array(repeating: nil, count: threads)
    self.brokenRule = brokenRule
  }

  /// Whether there is one thread.
  var isAlone: Bool { todo.count == 1 }
}

extension Model.Action {
  /// All that is below a promise is cancelled before handlers are enqueued and outcomes pass: no handler turns this into a value
  /// (rule 4.3).
  var goesDown: Bool {
    switch self {
    case .cancel, .reveal, .descend, .withdraw: true
    default: false
    }
  }

  var looksAgain: Bool { if case .descendAgain = self { true } else { false } }

  /// Hooks run when everything that the call settles is settled (rule 4.5). The rules do not say when an owner that was too late is
  /// reported.
  var comesLast: Bool {
    switch self {
    case .close, .hook, .lateHook, .resume, .second: true
    default: false
    }
  }
}
