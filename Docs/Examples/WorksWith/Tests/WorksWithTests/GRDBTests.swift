import Dispatch
import Foundation
import GRDB
import PromiseCombinators
import PromiseGRDB
import PromiseGates
import PromiseTesting
import Testing

/// A statement that runs until it is interrupted.
private let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

/// The file of a database, which is removed at the end.
private final class DatabaseFile {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite").path

  deinit { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
}

@Suite("GRDB", .bounded) struct GRDBTests {
  private func notes() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { db in try db.execute(sql: "CREATE TABLE note (title TEXT NOT NULL)") }
    return database
  }

  @Test("Writes and reads are promises")
  func writesAndReads() async throws {
    let database = try notes()
    let titles = database.writing { db in try db.execute(sql: "INSERT INTO note VALUES ('Bernoulli numbers')") }
      .then { database.reading { db in try String.fetchAll(db, sql: "SELECT title FROM note") } }
    #expect(try await titles.value == ["Bernoulli numbers"])
  }

  @Test("An error of the database rejects the promise")
  func failure() async throws {
    let database = try notes()
    let failed = await rejection(of: database.writing { db in try db.execute(sql: "INSERT INTO note VALUES (NULL)") })
    #expect((failed as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
  }

  @Test("A cancelled read interrupts its statement, and the next read runs")
  func cancelledRead() async throws {
    let database = try notes()
    let begun = Deferred<Void>()
    let count = database.reading { db in
      begun.fulfill()
      return try Int.fetchOne(db, sql: endless)
    }.map { $0 ?? 0 }
    try await begun.promise.value
    count.cancel(upstream: true)
    #expect(try await database.reading { db in try Int.fetchOne(db, sql: "SELECT 42") }.value == 42)
  }

  @Test("A cancelled write rolls its transaction back")
  func cancelledWrite() async throws {
    let database = try notes()
    let begun = Deferred<Void>()
    let write = database.writing { db in
      try db.execute(sql: "INSERT INTO note VALUES ('Lost')")
      begun.fulfill()
      _ = try Int.fetchOne(db, sql: endless)
    }
    try await begun.promise.value
    write.cancel()
    #expect(try await database.reading { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM note") }.value == 0)
  }

  @Test(
    "The release of a resource waits until the closure of a cancelled read or write has returned",
    arguments: [false, true], [false, true])
  func releaseWaits(isPool: Bool, isWrite: Bool) async throws {
    let file = DatabaseFile()
    let database: any DatabaseWriter = try isPool ? DatabasePool(path: file.path) : DatabaseQueue()
    let begun = Deferred<Void>()
    let mayEnd = DispatchSemaphore(value: 0)
    let access: @Sendable (Database) -> Int = { _ in
      begun.fulfill()
      mayEnd.wait()
      return 1
    }
    let resource = UsedResource()
    let use = resource.use { isWrite ? database.writing(access) : database.reading(access) }
    try await begun.promise.value
    #expect(resource.cancel(use).isEmpty)
    mayEnd.signal()
    #expect(await resource.finish(use))
    #expect(resource.log.entries == ["released"])
  }

  @Test("Handlers on a queue or a pool have its connection to themselves, in order", arguments: [false, true])
  func context(isPool: Bool) async throws {
    let file = DatabaseFile()
    let database: any DatabaseWriter = try isPool ? DatabasePool(path: file.path) : DatabaseQueue()
    try await database.write { db in try db.execute(sql: "CREATE TABLE note (title TEXT NOT NULL)") }
    let owner = Deferred<Int>()
    #expect(DatabaseContext.database(database).identity == ObjectIdentifier(database))
    let inserts = (0..<50).map { index in
      owner.promise.map(on: .database(database)) { _ in
        try database.unsafeReentrantWrite { db in
          try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: ["\(index)"])
        }
      }
    }
    owner.fulfill(1)
    _ = try await Promise.all(inserts).value
    let titles = database.reading { db in try String.fetchAll(db, sql: "SELECT title FROM note ORDER BY rowid") }
    #expect(try await titles.value == (0..<50).map { "\($0)" })
  }

  @Test("A handler waits until the connection is free")
  func handlerWaits() async throws {
    let database = try notes()
    let begun = Deferred<Void>()
    let end = DispatchSemaphore(value: 0)
    let write = database.writing { _ in
      begun.fulfill()
      end.wait()
    }
    try await begun.promise.value
    let double = Promise.fulfilled(21).map(on: .database(database)) { $0 * 2 }
    #expect(double.isPending)
    end.signal()
    try await write.value
    #expect(try await double.value == 42)
  }

  @Test("A hundred clients share one slow query")
  func singleFlight() async throws {
    let database = try notes()
    let queries = SingleFlight<String, Int?>()
    let count = Log<Void>()
    let release = Deferred<Void>()
    let clients = (0..<100).map { _ in
      queries.run(for: "count") {
        count.append(())
        return release.promise.then { database.reading { db in try Int.fetchOne(db, sql: "SELECT 7") } }
      }
    }
    release.fulfill()
    #expect(try await Promise.all(clients).value.allSatisfy { $0 == 7 })
    #expect(count.entries.count == 1)
  }
}
