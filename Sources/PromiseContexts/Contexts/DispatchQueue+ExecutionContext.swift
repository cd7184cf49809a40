public import Dispatch
public import PromiseCore

/// A dispatch queue is a context: each handler has the queue to itself.
///
/// On a serial queue that changes nothing. On a concurrent queue of your own a handler is a barrier, so that handlers
/// may write what they share without a lock; for handlers that only read see ``PromiseCore/ExecutionContext/concurrent(_:)``. Global
/// queues ignore barriers: there handlers overlap, and a debug build says so once (rule 2.7; the barrier rule is RXPromise's,
/// reference row H7).
extension DispatchQueue: ExecutionContext {
  /// Runs the job later, with the queue to itself (rule 2.7).
  public func schedule(_ job: consuming Job) {
    #if DEBUG
      GlobalQueueNotice.shared.check(self)
    #endif
    let job = consume job
    async(flags: .barrier) {
      #if DEBUG
        ExclusiveExecution.run(on: self.canonicalQueue) { job.run() }
      #else
        job.run()
      #endif
    }
  }

  /// Runs the jobs later, in order, in one block that has the queue to itself.
  public func schedule(batch: consuming [Job]) {
    #if DEBUG
      GlobalQueueNotice.shared.check(self)
    #endif
    let jobs = consume batch
    async(flags: .barrier) {
      #if DEBUG
        ExclusiveExecution.run(on: self.canonicalQueue) { for job in jobs { job.run() } }
      #else
        for job in jobs { job.run() }
      #endif
    }
  }

  /// The queue: handlers of one settlement on it travel together (rule 2.2).
  public var identity: ObjectIdentifier? { ObjectIdentifier(canonicalQueue) }

  /// `true` if the calling thread runs on this queue, or on one whose target it is. Else `nil`: it may be inside a
  /// `sync` on this queue that is inside one on another, which Dispatch does not say; and global queues serve many
  /// threads.
  ///
  /// - Complexity: two allocations.
  public var isCurrent: Bool? {
    if isGlobal { return nil }
    let mark = DispatchSpecificKey<Void>()
    setSpecific(key: mark, value: ())
    defer { setSpecific(key: mark, value: nil) }
    return DispatchQueue.getSpecific(key: mark) == nil ? nil : true
  }

  /// One of the system's, which has no barriers and belongs to nobody.
  var isGlobal: Bool { label.hasPrefix("com.apple.root.") }
}

extension DispatchQueue {
  #if canImport(Darwin)
    /// The main queue.
    static var sharedMain: DispatchQueue { .main }

    var canonicalQueue: DispatchQueue { self }
  #else
    // Where Dispatch is no part of the system, each `DispatchQueue.main` is an object of its own. Handlers on two of them would not
    // travel together, nor in order.

    /// The main queue, as one object.
    static let sharedMain: DispatchQueue = {
      let main = DispatchQueue.main
      main.setSpecific(key: mainKey, value: ())
      return main
    }()

    private static let mainKey = DispatchSpecificKey<Void>()

    /// The one object for a queue that may have several.
    var canonicalQueue: DispatchQueue {
      let main = Self.sharedMain
      return getSpecific(key: Self.mainKey) == nil ? self : main
    }
  #endif
}

extension ExecutionContext where Self == DispatchQueue {
  /// A dispatch queue, which each handler has to itself: a barrier on a concurrent queue. The same as the queue itself.
  public static func queue(_ queue: DispatchQueue) -> DispatchQueue { queue }
}
