import PromiseHTTP

/// The screen of the user, which prints what it shows.
@MainActor
final class Screen {
  nonisolated init() {}

  func show(progress: Double) { print("screen: \(Int(100 * progress)) %") }

  func show(_ notes: [Note]) -> Int {
    for note in notes { print("screen: \(note.title)") }
    return notes.count
  }

  func close() { print("screen: closed") }

  func show(_ error: any Error) {
    switch error {
    case HTTPError.status(let response): print("screen: refused with status \(response.status): \(response.text)")
    default: print("screen: that did not work: \(type(of: error))")
    }
  }
}
