import Synchronization

/// Prints one notice when blocked handlers occupy all threads of a pool, so that other handlers wait for them.
///
/// It exists in release builds too, because a server may reach the limit only under load, and would otherwise hang
/// without a message.
package final class PoolLimitNotice: Sendable {
  static let shared = PoolLimitNotice(sink: writeToStandardError)

  private let wasPosted = Atomic<Bool>(false)
  private let sink: @Sendable (String) -> Void

  /// Creates a notice that has not been posted.
  ///
  /// - Parameter sink: gets the text, which ends with a line break.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// Prints the notice, unless it was printed before.
  ///
  /// - Parameter limit: the greatest number of threads of the pool.
  package func post(limit: Int) {
    // Relaxed, because the exchange lets only one caller post the notice, and no other memory depends on the flag.
    guard !wasPosted.exchange(true, ordering: .relaxed) else { return }
    sink(
      """
      Promises: the pool has reached its limit of \(limit) threads, and a handler blocks each of them. Other handlers wait until one \
      returns. If these wait for each other, the pool hangs. See "The pool" in Docs/Guides/Contexts.md. (Said once.)

      """)
  }
}
