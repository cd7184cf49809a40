import Synchronization

/// Says once that blocked handlers occupy all threads of a pool, so that other handlers wait for them.
///
/// In release builds too: a server may meet the limit only under load, and would otherwise stop without a word.
package final class PoolLimitNotice: Sendable {
  static let shared = PoolLimitNotice(sink: writeToStandardError)

  private let wasPosted = Atomic<Bool>(false)
  private let sink: @Sendable (String) -> Void

  /// - Parameter sink: gets the notice, one line with its end.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// - Parameter limit: the number of threads that the pool has at most.
  package func post(limit: Int) {
    // Relaxed: the exchange lets only one caller through, and nothing else depends on it.
    guard !wasPosted.exchange(true, ordering: .relaxed) else { return }
    sink(
      """
      Promises: the pool has reached its limit of \(limit) threads, and a handler blocks each of them. Other handlers wait until one \
      returns. If these wait for each other, the pool hangs. See "The pool" in Docs/Contexts.md. (Said once.)

      """)
  }
}
