import Dispatch
import Foundation
import GRDB
import NotesDatabase
import PromiseContexts
import Testing

@Suite("Notes in a database", .bounded) struct NotesDatabaseTests {
  /// Calls the closure with a store whose file is removed afterwards.
  private func withStore(_ body: (NotesStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(NotesStore(path: folder.appendingPathComponent("notes.sqlite").path))
  }

  @Test("A chain parses notes, saves them in place of the old ones, and reads them")
  func saveAndRead() async throws {
    try await withStore { store in
      try await store.save([Note(title: "Loom")]).value
      let json = Data(#"[{"title": "Bernoulli numbers"}, {"title": "Analytical engine"}]"#.utf8)
      let notes = Promise.fulfilled(json)
        .map { json in try JSONDecoder().decode([Note].self, from: json) }
        .then { notes in store.save(notes) }
        .then { store.notes() }
      #expect(try await notes.value.map(\.title) == ["Analytical engine", "Bernoulli numbers"])
    }
  }

  @Test("If one note cannot be stored, the notes stay as they were")
  func failedSave() async throws {
    try await withStore { store in
      try await store.save([Note(title: "Engine")]).value
      let failed = await rejection(of: store.save([Note(title: "Loom"), Note(title: "Loom")]))
      #expect((failed as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
      #expect(try await store.notes().value == [Note(title: "Engine")])
    }
  }

  @Test("A cancelled read interrupts the query, and reads no further note")
  func cancelledRead() async throws {
    try await withStore { store in
      try await store.save((1_000..<2_000).map { Note(title: "\($0)") }).value
      let begun = Deferred<Void>()
      let cancelled = DispatchSemaphore(value: 0)
      let seen = Log<String>()
      // Only the query retains this owner, so its promise is rejected when the query has ended.
      var query: Deferred<Void>? = Deferred()
      let ended = query?.promise
      let titles = store.notes { [query] note in
        seen.append(note.title)
        if seen.entries.count == 1 {
          begun.fulfill()
          cancelled.wait()
        }
        return query != nil
      }
      .map { notes in notes.map(\.title) }
      query = nil
      try await begun.promise.value
      titles.cancel(upstream: true)
      cancelled.signal()
      _ = await rejection(of: try #require(ended))
      #expect(seen.entries == ["1000"])
    }
  }
}
