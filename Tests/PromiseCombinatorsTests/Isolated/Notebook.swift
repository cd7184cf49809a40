import PromiseCombinators
import PromiseTesting

/// An actor that records the arguments of closures that are isolated to it.
actor Notebook<Note: Sendable> {
  var notes: [Note] = []

  /// Appends the notes, and returns the result.
  func note<Result>(_ notes: Note..., returning result: Result) -> Result {
    self.notes += notes
    return result
  }
}

extension TestWorld {
  /// Runs the world until it is idle, and returns the notes.
  func notes<Note>(in notebook: Notebook<Note>) -> [Note]? {
    runUntilIdle()
    return start { Promise.run(isolatedTo: notebook) { $0.notes } }.state.value
  }
}
