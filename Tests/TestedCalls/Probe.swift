import Dispatch
package import PromiseContexts
package import TestSupport

/// Notes where the handlers of one call ran and which arguments they got.
package final class Probe: Sendable {
  package struct Note: Equatable, Sendable {
    package let place: Place
    package let argument: String
  }

  private struct State {
    var notes: [Note] = []
    var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Locked(State())
  private let tracked: Tracked?

  /// - Parameter tracked: a tracked object, which the handlers retain with the probe.
  package init(_ tracked: Tracked? = nil) { self.tracked = tracked }

  /// The context for calls of the family of PromiseCore.
  package let manual = ManualContext()
  /// The context for calls in the view of a context.
  package let context: any ExecutionContext = Place.queue.makeQueue()
  /// An actor for isolated calls. Its notes go to this probe.
  package var actor: PlaceActor { PlaceActor(self) }

  /// Notes that a handler ran, which may be async, and returns its result.
  package func note<Result>(_ argument: some Any, _ result: Result = ()) -> Result {
    let place: Place = manual.isCurrent == true ? .test : .current
    let ready = state.withLock { state in
      state.notes.append(Note(place: place, argument: "\(argument)"))
      guard let waiting = state.waiting, state.notes.count >= waiting.count else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiting = nil
      return waiting.continuation
    }
    ready?.resume()
    return result
  }

  /// Notes that a handler ran on the main actor.
  @MainActor package func noteOnMain<Result>(_ argument: some Any, _ result: Result = ()) -> Result {
    note(argument, result)
  }

  package var notes: [Note] { state.withLock { $0.notes } }

  /// Returns as soon as the given number of handlers have run.
  package func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.notes.count >= count { return true }
        state.waiting = (count, continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
