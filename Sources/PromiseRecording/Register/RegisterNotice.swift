import PromiseContexts
import Synchronization

/// Prints one notice when a watch looks for promises that are pending for too long, and the register is off.
///
/// It exists in release builds too, because a server that forgets to turn the register on would never report a hang.
package final class RegisterNotice: Sendable {
  static let shared = RegisterNotice(sink: writeToStandardError)

  private let wasPosted = Atomic<Bool>(false)
  private let sink: @Sendable (String) -> Void

  /// Creates a notice that has not been posted.
  ///
  /// - Parameter sink: gets the text, which ends with a line break.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// Prints the notice, unless it was printed before.
  package func post() {
    // Relaxed, because the exchange lets only one caller post the notice, and no other memory depends on the flag.
    guard !wasPosted.exchange(true, ordering: .relaxed) else { return }
    sink(
      """
      Promises: `Diagnostics.onPending` finds no promise, because `Diagnostics.recordsPendingPromises` is off. Turn it on before \
      the promises are made. (Said once.)

      """)
  }
}
