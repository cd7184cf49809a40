public import GRDB
public import PromiseContexts
import PromiseGRDB

/// A note of the example `Notes`.
public struct Note: Codable, Equatable, Sendable, FetchableRecord, PersistableRecord {
  public let title: String

  public init(title: String) { self.title = title }
}

/// Keeps notes in a database, whose readers do not wait for its writer.
public struct NotesStore: Sendable {
  private let database: DatabasePool

  /// Opens the database, and creates it if there is none.
  public init(path: String) throws {
    database = try DatabasePool(path: path)
    try database.write { db in
      try db.create(table: "note", options: .ifNotExists) { table in table.primaryKey("title", .text) }
    }
  }

  /// Replaces the notes. If one of them cannot be stored, the notes stay as they were.
  public func save(_ notes: [Note]) -> Promise<Void> {
    database.writing { db in
      try Note.deleteAll(db)
      for note in notes { try note.insert(db) }
    }
  }

  /// Returns a promise for the notes that the closure accepts, in the order of their titles.
  ///
  /// Cancelling the promise interrupts the query, so that the closure is called for no further note.
  public func notes(where isWanted: @escaping @Sendable (Note) -> Bool = { _ in true }) -> Promise<[Note]> {
    database.reading { db in try Array(Note.order(Column("title")).fetchCursor(db).filter(isWanted)) }
  }
}
