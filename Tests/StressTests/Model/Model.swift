/// What promises must do, written from `Docs/Semantics.md` as plainly as possible: numbers, and no links.
///
/// A call is a few actions of its thread, each of which happens at once: to settle one promise, to fire one handler, to cancel
/// one promise. Between those of one thread those of others may come; a program of one thread takes them one after the other.
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
///   `+Progress` (5), `+Examining` (7.1).
/// - `Comparison` is the verdict on one program. Where the model differs, `Orders` looks whether another order of what a call brought
///   about, of those that the contract leaves open, explains what was seen.
/// - `Campaign` takes the programs of many seeds, and `Shrinker` makes one that fails smaller. `RandomProgramTests` is its short form for
///   `make test-slow`, `SoakTests` the long one for `make soak`.
/// - `Concurrent`: a prefix and then steps of several threads, on many machines. `Explanation` looks for an order of the actions of
///   all threads in which the model does what was seen, and at the end has come to the same.
///
/// ## What is left out
/// Not looked at any further are programs which the contract leaves open (`isOpen`). Threads neither report progress nor wait in Tasks.
struct Model: Hashable {
  struct Node: Hashable {
    var outcome: Outcome?
    /// Its handlers are being fired, or have been; who settles it has nothing more to do for it.
    var isPublished = false
    var isClosed = false
    /// Cancelled consumers that have yet to leave it.
    var leaving = 0
    var isCancelledByCall = false
    /// That call has published it; what waits for it hears of it later.
    var isRevealed = false
    var settler = 0
    var hasOwner = false
    /// The program has a reference to it.
    var isHeld = true
    /// What it has adopted, or follows, and still waits for.
    var follows: [Int] = []
    /// What it is a child of (rule 4.0), also when it is settled.
    var above: [Int] = []
    /// The handler that makes its outcome.
    var producer: Int?
    var hooks: [Hook] = []
    var countOfHooks = 0
    var combination: Combination?
    /// Rule 5.4: what all links up to it weigh together, with the root's 1.
    var weight = 1.0
    /// The highest progress that anybody was shown while it was pending; then where it ended.
    var shown = 0.0
    /// Rule 7.1: its rejection need not be reported.
    var isLookedAt = false
    /// Its rejection was looked at further up, by a `catch`.
    var hasArrivedLookedAt = false
    /// Rule 4.2, in parentheses: it may be passed over.
    var mayBePassedOver = false
    /// Settled by a cancel or because a ring was broken, and not by one of those that it follows: it stays below those that are settled.
    var isCutOff = false
  }

  struct Hook: Hashable {
    let number: Int
    let act: Step?
  }

  /// What a combinator waits for.
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
      /// What it will be shown, by a cancel that has yet to enqueue it.
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
    /// Enqueued by a cancel, and not by its own promise (rule 2.5).
    var isEnqueuedByCancel = false
  }

  enum Action: Hashable {
    /// The outcome of a promise passes to another, by a link or to an adopter.
    case pass(to: Int, from: Int)
    /// It is settled, and leaves what it followed, and what is above it otherwise; all but what has settled it, if that is named.
    case depart(Int, [Int], Int?)
    case publish(Int)
    case fire(Int)
    case cancel(Int, Int)
    /// What a call has cancelled it publishes, before it comes to what is below.
    case reveal(Int)
    case descend(Int, Int)
    /// The same when all that was found has been cancelled, for what came meanwhile.
    case descendAgain(Int, Int)
    /// Left here by another thread that cancels (rule 4.3).
    case request(Int, Int)
    /// Somebody who waited for it was cancelled.
    case leave(Int, Int)
    /// Somebody who was derived from it was abandoned.
    case rise(Int, Int)
    /// The promise of a handler was cancelled.
    case withdraw(Int)
    case enqueue(Int)
    case dropJob(Int)
    /// The handler has done its `first`, and returns.
    case finish(Int)
    /// What a handler does first, or a hook.
    case inner(Step)
    case answer(Bool?)
    case hook(Int, Hook, Outcome.Failure)
    /// A hook that was registered after the cancellation.
    case lateHook(Int, Hook, Outcome.Failure)
    /// An input of that number has been settled.
    case take(Int, input: Int)
    case breakRing(Int)
    /// All that the settlement of a promise brought about at once has been done.
    case close(Int)

    var looksAgain: Bool { if case .descendAgain = self { true } else { false } }

    var goesUp: Bool { if case .rise = self { true } else { false } }

    /// Mostly it does not matter when these come, as long as the rest has been done.
    var comesLast: Bool {
      switch self {
      case .close, .hook, .lateHook: true
      default: false
      }
    }

    var belongsToCancel: Bool {
      switch self {
      case .cancel, .reveal, .descend, .leave, .withdraw: true
      default: false
      }
    }
  }

  /// A call of `cancel` or `abandon`.
  struct Call: Hashable {
    let reason: Outcome
    /// Abandoned promises: what these were waiting for is left too (rule 4.6).
    var abandoned: Set<Int> = []
    var visited: Set<Int> = []
  }

  var nodes: [Node] = []
  var handlers: [Handler] = []
  var countOfAttached = 0
  var calls: [Call] = []
  /// For each thread what it has to do, innermost call last.
  var todo: [[[Action]]]
  /// For each thread where the actions of the hook begin that it is running, if it runs one.
  var hookFrame: [Int?]
  /// What can be seen of the step.
  var events: [Event] = []
  /// A promise may have been passed over (rule 4.2, in parentheses): the contract leaves open how the last step ended.
  var isOpen = false
  /// No rule says how far one of the promises has come.
  var isProgressOpen = false
  /// The numbers of what a thread makes next, if several make promises and handlers at the same time.
  var places: [Place?]

  struct Place: Hashable {
    var promise: Int
    var handler: Int
  }

  init(threads: Int = 1) {
    todo = Array(repeating: [], count: threads)
    hookFrame = Array(repeating: nil, count: threads)
    places = Array(repeating: nil, count: threads)
  }
}
