import Dispatch
import Foundation

/// Keeps the notes in a file, which only handlers on the queue of the store may use.
struct NotesStore: Sendable {
  let queue = DispatchQueue(label: "notes")
  private let file: URL

  init(directory: String) { file = URL(fileURLWithPath: directory).appendingPathComponent("notes.json") }

  func save(_ notes: [Note]) throws {
    dispatchPrecondition(condition: .onQueue(queue))
    try JSONEncoder().encode(notes).write(to: file, options: .atomic)
  }
}
