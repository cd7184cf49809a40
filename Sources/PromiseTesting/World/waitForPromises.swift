import PromiseCore
import PromiseWaiting

/// Runs the world of the calling code until none of its promises is pending. For helpers of tests that do not know the
/// world.
///
/// Outside a world this fails, because the library keeps no list of a program's promises. There, wait for the promises
/// themselves, as in `try Promise.allSettled(promises).waitForValue(within: .seconds(5))`. `allSettled` is in
/// PromiseCombinators.
///
/// - Parameter limit: the longest duration by which the world's time may move.
/// - Throws: ``/PromiseWaiting/WaitError/noWorld`` outside a world, otherwise as ``TestWorld/waitForPromises(within:)``.
@available(*, noasync, message: "run async code in a world by `TestWorld.run`")
public func waitForPromises(within limit: Duration) throws {
  guard let world = TestWorld.current else { throw WaitError.noWorld }
  try world.waitForPromises(within: limit)
}

extension TestWorld {
  /// Runs the world until none of its promises is pending.
  ///
  /// - Parameter limit: the longest duration by which the world's time may move.
  /// - Throws: ``WorldReport`` of the promises that are still pending when nothing is left that could happen within the
  ///   time. ``/PromiseWaiting/WaitError/tooManySteps(_:)`` if the world may never become idle, or
  ///   ``/PromiseWaiting/WaitError/worldBusy`` if another thread has been running it for a minute.
  public func waitForPromises(within limit: Duration) throws {
    // The promises that were pending when all were looked at last.
    var waiting: [WeakPromise] = []
    do {
      _ = try runSteps(within: limit) {
        while let last = waiting.last, last.promise?.isPending != true { waiting.removeLast() }
        if waiting.isEmpty { waiting = registry.promises.filter(\.isPending).map { WeakPromise(promise: $0) } }
        return !waiting.isEmpty
      }
      let pending = pending(among: registry.promises)
      if !pending.isEmpty { throw WorldReport(causes: Diagnostics.causes(of: registry.promises), pending: pending) }
    } catch {
      noteThrowing(error)
      throw error
    }
  }
}

/// A promise that is not retained, because a test may wait for its release.
private struct WeakPromise {
  weak var promise: AnyPromise?
}
