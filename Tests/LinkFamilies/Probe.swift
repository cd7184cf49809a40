import Dispatch
package import PromiseContexts
package import TestSupport

/// Where the handlers of one call ran, and what they got.
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
  private let cargo: Tracked?

  /// - Parameter cargo: lives as long as a handler that notes here.
  package init(_ cargo: Tracked? = nil) { self.cargo = cargo }

  /// For what PromiseCore has, to compare with.
  package let manual = ManualContext()
  /// For the view of a context.
  package let context: any ExecutionContext = Place.queue.makeQueue()
  /// For what is isolated to an actor. It notes here.
  package var actor: PlaceActor { PlaceActor(self) }

  /// A handler runs. `async`, and any other closure.
  package func note(_ argument: String) {
    let place: Place = manual.isCurrent == true ? .test : .current
    let ready = state.withLock { state in
      state.notes.append(Note(place: place, argument: argument))
      guard let waiting = state.waiting, state.notes.count >= waiting.count else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiting = nil
      return waiting.continuation
    }
    ready?.resume()
  }

  /// A handler on the main actor runs.
  @MainActor package func noteOnMain(_ argument: String) { note(argument) }

  package var notes: [Note] { state.withLock { $0.notes } }

  /// Returns once so many handlers have run.
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
