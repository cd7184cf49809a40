import PromiseHTTP

/// Refreshes the notes when the user pulls the list down. Each of the six steps runs in its own place.
struct Refresh: Sendable {
  let api: NotesAPI
  let store: NotesStore
  let screen: Screen

  /// Returns a promise for the number of notes that are shown. Its `cancel(upstream: true)` stops the request that is
  /// under way, and no notes are shown.
  func run(user: String, password: String) -> Promise<Int> {
    api.logIn(user: user, password: password)  // 1. log in
      .then(weight: 8) { token in api.notes(of: user, token: token) }  // 2. fetch JSON, the longest part
      .map { json in try Note.list(from: json) }  // 3. parse it, on the pool
      .tap(on: store.queue) { notes in try store.save(notes) }  // 4. save, one at a time
      .map(on: .main) { notes in screen.show(notes) }  // 5. only the main actor may touch the screen
      .catchFailure(on: .main) { error in screen.show(error) }  // 6. an error, but no cancellation
  }
}
