#if DEBUG
  package import Dispatch
  import Synchronization

  /// Prints one notice in a process when a global queue is used as if handlers had it to themselves (rule 2.7).
  ///
  /// It exists in debug builds only. It addresses the developer, and compares the label of the queue for each handler.
  package final class GlobalQueueNotice: Sendable {
    static let shared = GlobalQueueNotice(sink: writeToStandardError)

    private let wasPosted = Atomic<Bool>(false)
    private let sink: @Sendable (String) -> Void

    /// Creates a notice that has not been posted.
    ///
    /// - Parameter sink: gets the text, which ends with a line break.
    package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    /// Posts the notice if the queue is global. Called for each handler that is scheduled as a barrier.
    package func check(_ queue: DispatchQueue) {
      // Relaxed, because no other memory depends on the flag. The exchange lets only one caller post the notice.
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
