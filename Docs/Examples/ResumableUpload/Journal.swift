import Foundation
import Synchronization

/// The progress of an upload, in a file. A line has the name that the server has given it, or the number of a piece that
/// was sent.
final class Journal: Sendable {
  private struct State {
    var name: String?
    var sent: Set<Int> = []
  }

  private let storage: Storage
  private let state: Mutex<State>

  /// Where the lines are. Tests keep them in memory.
  struct Storage: Sendable {
    let read: @Sendable () throws -> String
    let append: @Sendable (String) throws -> Void
    /// Replaces everything. `nil` removes the file.
    let replace: @Sendable (String?) throws -> Void
  }

  init(_ storage: Storage) throws {
    self.storage = storage
    let text = try storage.read()
    // An interruption may have cut off the last line. That piece is sent again.
    let whole = text.lastIndex(of: "\n").map { text[...$0] } ?? ""
    if whole.count < text.count { try storage.replace(whole.isEmpty ? nil : String(whole)) }
    let lines = whole.split(separator: "\n")
    state = Mutex(State(name: lines.first.map(String.init), sent: Set(lines.dropFirst().compactMap { Int($0) })))
  }

  var name: String? { state.withLock { $0.name } }

  func contains(_ chunk: Chunk) -> Bool { state.withLock { $0.sent.contains(chunk.number) } }

  func begin(_ name: String) throws {
    try state.withLock { state in
      try storage.append("\(name)\n")
      state.name = name
    }
  }

  func add(_ chunk: Chunk) throws {
    try state.withLock { state in
      try storage.append("\(chunk.number)\n")
      state.sent.insert(chunk.number)
    }
  }

  func remove() throws {
    try state.withLock { state in
      try storage.replace(nil)
      state = State()
    }
  }
}

extension Journal.Storage {
  init(file: URL) {
    read = { FileManager.default.fileExists(atPath: file.path) ? try String(contentsOf: file, encoding: .utf8) : "" }
    append = { text in
      if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      let end = try handle.seekToEnd()
      do {
        try handle.write(contentsOf: Data(text.utf8))
      } catch {
        // Part of the line may be in the file, and the next line would continue it.
        try? handle.truncate(atOffset: end)
        throw error
      }
    }
    replace = { text in
      if let text {
        try Data(text.utf8).write(to: file, options: .atomic)
      } else if FileManager.default.fileExists(atPath: file.path) {
        try FileManager.default.removeItem(at: file)
      }
    }
  }
}
