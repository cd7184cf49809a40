import PromiseContexts
import Synchronization

/// Keeps texts until they expire.
final class Store: Sendable {
  private struct Entry {
    let text: String
    let end: Duration
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var writes = 0
  }

  private let lifetime: Duration
  private let timers: any TimerContext
  private let state = Mutex(State())

  init(lifetime: Duration, timers: any TimerContext) {
    self.lifetime = lifetime
    self.timers = timers
  }

  /// How many writes have ended.
  var writes: Int { state.withLock { $0.writes } }

  /// How many texts are kept, those included that have expired since the last one was kept.
  var count: Int { state.withLock { $0.entries.count } }

  /// Returns the text of a document, or `nil` if there is none or it has expired.
  func text(of name: String) -> String? {
    let now = timers.elapsed
    return state.withLock { state in
      state.entries[name].flatMap { entry in entry.end > now ? entry.text : nil }
    }
  }

  /// Keeps a text, unless a write has ended since the request for it began. The text may be the one from before the write.
  ///
  /// Writes to other documents count as well. That costs a request now and then, and needs no list of all documents ever written.
  func keep(_ text: String, as name: String, unlessWrittenSince writes: Int) {
    let now = timers.elapsed
    state.withLock { state in
      guard state.writes == writes else { return }
      state.entries = state.entries.filter { $0.value.end > now }
      state.entries[name] = Entry(text: text, end: now + lifetime)
    }
  }

  func noteWrite(to name: String) {
    state.withLock { state in
      state.writes += 1
      state.entries[name] = nil
    }
  }
}
