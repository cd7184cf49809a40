import Dispatch
import PromiseContexts
import TestSupport

/// Where the handlers of one call ran, and what they got.
final class Probe: Sendable {
  struct Note: Equatable, Sendable {
    let place: Place
    let argument: String
  }

  private struct State {
    var notes: [Note] = []
    var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Locked(State())

  /// For what PromiseCore has, to compare with.
  let manual = ManualContext()
  /// For the view of a context.
  let context: any ExecutionContext = Place.queue.makeQueue()
  /// For what is isolated to an actor. It notes here.
  var actor: PlaceActor { PlaceActor(self) }

  /// A handler runs. `async`, and any other closure.
  func note(_ argument: String) {
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
  @MainActor func noteOnMain(_ argument: String) { note(argument) }

  var notes: [Note] { state.withLock { $0.notes } }

  /// Returns once so many handlers have run.
  func wait(for count: Int) async {
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
