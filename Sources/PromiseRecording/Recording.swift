public import PromiseCore

/// The events of a program's promises in a span of time, in the order in which they happened.
public struct Recording: Sendable {
  /// The events that the recorder has kept, the oldest first. Only the page and the trace show them.
  package var events: [Event]
  /// The number of older events that the recorder has dropped, because it had no room for them.
  public let droppedCount: Int
  /// The duration of the recording, from the time when its recorder was first on. If events were dropped, from the
  /// oldest that was kept.
  public let duration: Duration
  /// The causes of the waits of the recorded promises that were pending, or had not finished, when
  /// ``Recorder/recording`` or ``Recorder/stop()`` was called.
  ///
  /// The search for them is that of `Diagnostics.causes()`.
  public internal(set) var causes = WaitCauses()
  /// The recorded promises that wait for each cause with no recorded promise between. Of a gate only the first.
  var waiters: [[ID]] = []
  /// The promises that were pending when the last reference to them was released. The library has bypassed them (rule
  /// 3.3), or no handler can see their outcomes.
  var released: [ID] = []
  /// The promises that are pending, and those that are settled and have not finished, whose creation was dropped.
  var olderPending: [ID] = []
  var olderUnfinished: [ID] = []

  /// Creates a recording.
  package init(events: [Event], droppedCount: Int = 0, duration: Duration) {
    self.events = events
    self.droppedCount = droppedCount
    self.duration = duration
  }

  /// Identifies a promise, an observer or an owner's hook within one recording. Numbers are not used twice.
  package typealias ID = Int

  /// One event.
  package struct Event: Sendable {
    /// The time since the beginning of the recording.
    package var time: Duration
    /// The thread on which it happened, as a number that counts the threads of the recording from 1.
    package var thread: Int
    /// The kind of event, with its details.
    package var kind: Kind

    /// Creates an event.
    package init(time: Duration, thread: Int, kind: Kind) {
      self.time = time
      self.thread = thread
      self.kind = kind
    }

    /// The kinds of events.
    package enum Kind: Sendable {
      /// A promise was created, or an observer was attached.
      case created(Creation)
      /// The handler began to run. An async handler may suspend. Then other handlers run on its thread, and it may
      /// return on another thread.
      case began(ID, context: String, isAsync: Bool = false)
      /// The handler has returned.
      case returned(ID)
      /// A promise was settled. The text describes its value or error, and is `nil` if texts are not recorded.
      case settled(ID, Outcome, text: String?)
      /// A program has called `cancel`, or dropped the last client of a promise whose owner observes that.
      case cancelled(ID, reason: String, upstream: Bool)
      /// A promise waits for another, because its handler has returned that one, or because its owner follows it.
      case adopted(ID, adopted: ID)
      /// A promise got a label.
      case labeled(ID, String)
      /// A promise waits for something that is no promise: a place in a gate, or a timer. The text describes it. If it
      /// is a place that an operation keeps until it has ended, the gate is known.
      case waits(ID, text: String, gate: Gate? = nil)
      /// A settled promise has not finished, because something for which it stands still runs (rule 2.11). Follows
      /// `settled`.
      case unfinished(ID)
      /// A promise that was settled and had not finished has finished.
      case finished(ID)
      /// A promise waits until another has finished.
      case awaitsFinish(ID, of: ID)
      /// The operation that waited for a place in a gate has left the gate. The promise is that of the place. It was
      /// fulfilled when the operation got the place.
      case left(ID)

      /// The promise that was settled, if one was.
      var settled: ID? { if case .settled(let id, _, _) = self { id } else { nil } }
    }
  }

  /// A gate for whose places promises wait.
  package struct Gate: Sendable, Hashable {
    /// Identifies the gate within one recording, together with its text. A gate that was made after the release of
    /// another one may have its number.
    package var id: Int
    /// The number of places when the promise began to wait. `Int.max` if any number of operations may be inside.
    package var places: Int

    /// Creates a description.
    package init(id: Int, places: Int) {
      self.id = id
      self.places = places
    }
  }

  /// The description of a new promise.
  package struct Creation: Sendable {
    /// The promise.
    package var id: ID
    /// The operator or the type that made it, as in "map", "all" or "Deferred".
    package var operation: String
    /// The type of the promise, as in "Promise<Int>". Empty for an observer.
    package var type: String
    /// The place in the source where it was made.
    package var createdAt: CreationSite
    /// The promises for which it waits: the source of a link, or the inputs of a combinator.
    package var sources: [ID]
    /// The context on which its handler runs. Empty if it has no handler. The handler waits for its turn there from the
    /// time when the source is settled, or when the promise is made if that is later, until it begins.
    package var context: String
    /// Whether it is an observer, which is never settled.
    package var isObserver: Bool

    /// Creates a description.
    package init(
      id: ID, operation: String, type: String, createdAt: CreationSite, sources: [ID] = [], context: String = "",
      isObserver: Bool = false
    ) {
      self.id = id
      self.operation = operation
      self.type = type
      self.createdAt = createdAt
      self.sources = sources
      self.context = context
      self.isObserver = isObserver
    }
  }

  /// The end of a promise.
  package enum Outcome: Sendable {
    /// The promise was fulfilled.
    case fulfilled
    /// The promise was rejected, and not by a cancellation.
    case rejected
    /// The promise was cancelled.
    case cancelled
  }
}
