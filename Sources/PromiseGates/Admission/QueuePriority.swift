import Synchronization

/// Determines the places of operations in the queue of a gate, and can change while they wait.
///
/// Operations with a higher level are admitted first. Among equal levels, the order is that of the calls. An operation
/// without a priority has the level 0.
///
/// ```swift
/// let visible = QueuePriority(1)
/// let image = images.run(queuePriority: visible) { server.picture(url) }
/// visible.level = 0  // the row has scrolled away
/// ```
///
/// One priority may belong to many operations, and to several gates. If its level changes, all its operations that wait
/// move at once. An operation never loses its place among equals: it is admitted before operations of the same level
/// that came later, however often its level has changed. Operations that have a place already are not affected.
///
/// A level that stays high may starve operations with a lower one.
///
/// Two priorities with the same level have the same effect. An integer literal makes a priority of its own, as in
/// `images.run(queuePriority: -1) { … }`. An admission looks at each priority that has operations in the queue, so many
/// operations should share one.
///
/// Priorities determine the order of a queue. They do not change the priority of a thread or Task.
public final class QueuePriority: Sendable {
  private let atomicLevel: Atomic<Int>

  /// Creates a priority with a level. Any integer may be a level.
  public init(_ level: Int) { atomicLevel = Atomic(level) }

  /// The level. A change has an effect on all later admissions.
  ///
  /// - Complexity: O(1).
  public var level: Int {
    // Relaxed, because a gate needs no other memory of the thread that has changed the level.
    get { atomicLevel.load(ordering: .relaxed) }
    set { atomicLevel.store(newValue, ordering: .relaxed) }
  }
}

extension QueuePriority: ExpressibleByIntegerLiteral {
  /// Creates a priority with a level.
  public convenience init(integerLiteral level: Int) { self.init(level) }
}

extension QueuePriority: CustomDebugStringConvertible {
  /// Describes the priority by its level.
  public var debugDescription: String { "QueuePriority(\(level))" }
}
