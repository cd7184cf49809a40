#if DEBUG
  package import Dispatch
  import Synchronization

  /// Says once in a process that a global queue is used where handlers seem to have the queue to themselves (rule 2.7).
  ///
  /// Debug builds only: it is for whoever writes the program, and costs a look at the queue's label for each handler.
  package final class GlobalQueueNotice: Sendable {
    static let shared = GlobalQueueNotice(sink: writeToStandardError)

    private let wasPosted = Atomic<Bool>(false)
    private let sink: @Sendable (String) -> Void

    /// - Parameter sink: gets the notice, a line with its end.
    package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    /// Called for each handler that is a barrier.
    package func check(_ queue: DispatchQueue) {
      // Relaxed: nothing else depends on it, and the exchange lets only one through.
      guard !wasPosted.load(ordering: .relaxed), queue.isGlobal,
        !wasPosted.exchange(true, ordering: .relaxed)
      else { return }
      sink(
        """
        Promises: a handler was put on the global queue "\(queue.label)" by `on: queue` or `.queue(_:)`. Global queues ignore \
        barriers: handlers run at the same time there. Write `on: .global(qos:)`, which says so, or use a queue of your own. \
        (Said once, in debug builds.)

        """)
    }
  }
#endif
