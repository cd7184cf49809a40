/// Lists the effects of each call of `cancel` for every relation between two promises, every stage, and every promise
/// that may be cancelled. `CancelTruthTableTests` plays every row.
enum CancelTruthTable {
  /// The promises of a scene.
  enum Role: String, Sendable {
    /// The promise from which the relation starts.
    case source
    /// The promise that the relation makes.
    case derived
    /// A promise that is made from `derived` by `map`, or by `recover` if the relation says so. For observers, it is
    /// made from the source, beside the observer.
    case below
    /// The promise that the handler of the relation returns.
    case adopted
  }

  enum Relation: Hashable, Sendable {
    /// A link or an observer with a handler.
    case kind(LinkKind)
    case other(Other)

    enum Other: String, CaseIterable, Sendable {
      case asVoid, shielded, follow
      case thenRecovered = "then { … }.recover { … }"
      case followRecovered = "follow(…); promise.recover { … }"
      case promiseOn = "Promise(on:)"
      case run = "Promise.run"
    }

    /// All relations. `catch(only:)` and `onRejected(only:)` would not see the reason, which has another type.
    static let all =
      LinkKind.allCases.filter { $0 != .catchOnly && $0 != .onRejectedOnly }.map(Relation.kind)
      + Other.allCases.map(Relation.other)

    var name: String {
      switch self {
      case .kind(let kind): kind.rawValue
      case .other(let other): other.rawValue
      }
    }
  }

  /// The state of the scene when the call is made.
  enum Stage: String, Sendable {
    case pending = "source pending"
    case shared = "source pending, with another consumer"
    case fulfilled = "source fulfilled, no handler has run"
    case rejected = "source rejected, no handler has run"
    case running = "handler running"
    case returnsPending = "handler running, returns a pending promise later"
    case returnsShared = "handler running, returns a shared promise later"
    case adoptedPending = "has adopted a pending promise"
    case adoptedShared = "has adopted a pending promise that has another consumer"
    case adoptedFulfilled = "has adopted a fulfilled promise"
    case adoptedSettled = "has adopted a promise that was fulfilled after that"
    case adoptedRejected = "has adopted a rejected promise"
    case notStarted = "body not started"
    case bodyRunning = "body running"
    case bodyRan = "body has run, owner is kept"

    /// Whether the handler returns the promise `adopted`.
    var returnsInner: Bool {
      switch self {
      case .returnsPending, .returnsShared, .adoptedPending, .adoptedShared, .adoptedFulfilled, .adoptedRejected,
        .adoptedSettled:
        true
      default: false
      }
    }

    var isRunning: Bool { [.running, .returnsPending, .returnsShared, .bodyRunning].contains(self) }
  }

  /// The call and its error.
  enum Call: CaseIterable, Sendable { case cancel, cancelReason, cancelUpstream }

  /// The calls to which a row applies.
  enum Calls: String, Sendable {
    case down = "`cancel()`"
    case upstream = "`cancel(upstream: true)`"
    case either = "either call"

    var all: [Call] {
      switch self {
      case .down: [.cancel, .cancelReason]
      case .upstream: [.cancelUpstream]
      case .either: Call.allCases
      }
    }
  }

  /// The state of a promise when the call returns. *Cancelled* means rejected with the reason of the call, and marked.
  enum End: String, CaseIterable, Sendable { case cancelled, pending, fulfilled, rejected }

  /// The argument that a handler receives.
  enum SeenOutcome: String, Sendable {
    case value = "the value"
    case error = "the error"
    case reason = "the reason"
    /// A body receives nothing, or its owner.
    case start
  }

  /// The handlers of the relation that run, and their arguments.
  enum Handlers: Equatable, Sendable {
    case never
    /// The handler does not run, but is retained until its context has run the job, which looks at the mark.
    case skipped
    case once(SeenOutcome)
    /// The arguments depend on the outcome of the source, which is left pending.
    case later(ifFulfilled: SeenOutcome?, ifRejected: SeenOutcome?)
    /// The relation has no handler.
    case none
  }

  struct Row: Sendable {
    let stage: Stage
    let cancelled: [Role]
    let calls: Calls
    /// One entry for each role of the section, in its order.
    let ends: [End]
    let handlers: Handlers
    let hooks: [Role]

    init(
      _ stage: Stage, _ cancelled: [Role], _ calls: Calls, _ ends: [End], _ handlers: Handlers = .none,
      hooks: [Role] = []
    ) {
      (self.stage, self.cancelled, self.calls) = (stage, cancelled, calls)
      (self.ends, self.handlers, self.hooks) = (ends, handlers, hooks)
    }
  }

  /// A group of relations that have the same rows.
  struct Section: Sendable {
    let relations: [Relation]
    let roles: [Role]
    let rows: [Row]
  }

  static func kinds(_ kinds: LinkKind...) -> [Relation] { kinds.map(Relation.kind) }

  static let sections = links + adoption + views + owners + observers
}
