import Foundation
import PromiseCombinators
import PromiseProcesses
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/BatchImport.md, word for word. `Scripts/check-snippets.py` compares them.

private enum Guide {
  final class Journal: Sendable {
    struct NotWritten: Error {
      let id: String
      let error: any Error
    }

    private struct Content {
      var done: Set<String>
      let file: FileHandle
    }

    private let content: Mutex<Content>

    init(at url: URL) throws {
      let text = (try? Data(contentsOf: url)) ?? Data()
      // An interruption may have cut off the last line. That record is imported again.
      let end = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
      let lines = text[..<end]
      let done = Set(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
      try lines.write(to: url, options: .atomic)
      let file = try FileHandle(forWritingTo: url)
      try file.seekToEnd()
      content = Mutex(Content(done: done, file: file))
    }

    func contains(_ id: String) -> Bool { content.withLock { $0.done.contains(id) } }

    func add(_ id: String) throws {
      do {
        try content.withLock { content in
          try content.file.write(contentsOf: Data("\(id)\n".utf8))
          content.done.insert(id)
        }
      } catch {
        throw NotWritten(id: id, error: error)
      }
    }
  }

  struct Importer: Sendable {
    struct Failure: Sendable {
      let id: String
      let error: any Error
    }

    let journal: Journal
    let load: @Sendable (String) -> Promise<Void>

    /// Imports the records that are not in the journal, and returns those that have failed.
    func run(_ ids: [String]) -> Promise<[Failure]> {
      let rest = ids.filter { !journal.contains($0) }
      return Promise.traverse(rest, concurrency: 8) { id in
        patiently(id)
          .map { _ -> Failure? in nil }
          .recover { error in Failure(id: id, error: error) }
      }
      .map { failures in failures.compactMap { $0 } }
    }

    private func patiently(_ id: String) -> Promise<Void> {
      Promise.retry(attempts: 4, backoff: .exponential(first: .milliseconds(200)), while: isWorthRepeating) {
        load(id)
          .alwaysThen { result in
            if case .success = result { try journal.add(id) }
            return Promise.fulfilled(())
          }
          .timeout(.seconds(30))
      }
    }

    /// A record whose line cannot be written has been imported.
    private func isWorthRepeating(_ attempt: Int, _ error: any Error) -> Bool { !(error is Journal.NotWritten) }
  }
}

extension Guide.Journal {
  /// Makes each later line fail.
  fileprivate func refuseLines(at url: URL) throws {
    let readOnly = try FileHandle(forReadingFrom: url)
    content.withLock { $0 = Content(done: [], file: readOnly) }
  }
}

extension Requests<String, Void> {
  @Sendable fileprivate func importRecord(_ id: String) -> Promise<Void> { begin(id) }
}

@Suite("Recipes: a batch that resumes") struct BatchImportTests {
  private typealias Journal = Guide.Journal
  private typealias Importer = Guide.Importer

  private let ids = (1...20).map { "record-\($0)" }
  private let server = Requests<String, Void>()
  private let file = FileManager.default.temporaryDirectory.appending(path: "Promises-\(UUID().uuidString)")

  private var journal: [String] {
    (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
  }

  @Test("An interrupted import resumes with the records that are not in the journal", .rule("4.4", "2.5"))
  func resumes() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try TestWorld.run { world in
      let server = server
      let ids = ids
      let importing = Importer(journal: try Journal(at: file), load: server.importRecord).run(ids)
      let interrupt = Promise.signal(SIGINT)
      interrupt.onFulfilled { _ in importing.cancel(upstream: true) }
      world.runUntilIdle()
      #expect(server.pending == Array(ids.prefix(8)))
      for id in ids.prefix(3) { server.answer(id, with: .success(())) }
      world.runUntilIdle()
      #expect(server.pending == Array(ids[3..<11]))
      importing.cancel(upstream: true)
      world.runUntilIdle()
      #expect(importing.isCancelled)
      #expect(server.pending.isEmpty)
      #expect(server.requested.count == 11)
      interrupt.cancel()
    }
    #expect(journal.sorted() == ids.prefix(3).sorted())

    // The interruption has cut off a line.
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("record-4".utf8))
    try handle.close()
    try TestWorld.run { world in
      let importing = Importer(journal: try Journal(at: file), load: server.importRecord).run(ids)
      world.runUntilIdle()
      #expect(server.pending == Array(ids[3..<11]))
      for id in ids.dropFirst(3) where id != "record-7" {
        server.answer(id, with: .success(()))
        world.runUntilIdle()
      }
      #expect(server.pending == ["record-7"])
      server.answer("record-7", with: .failure(TestError(1)))
      world.advance(by: .seconds(1))
      // The second and third attempts take too long, and the fourth fails.
      world.advance(by: .seconds(62))
      server.answer("record-7", with: .failure(TestError(4)))
      let failures = try world.run(until: importing)
      #expect(failures.map(\.id) == ["record-7"])
      #expect(failures.first?.error as? TestError == TestError(4))
      #expect(server.requested.filter { $0 == "record-7" }.count == 5)
      #expect(server.pending.isEmpty)
    }
    #expect(journal.sorted() == ids.filter { $0 != "record-7" }.sorted())
  }

  @Test("A second run with the same journal imports nothing again")
  func twice() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try TestWorld.run { world in
      let importer = Importer(journal: try Journal(at: file), load: server.importRecord)
      let importing = importer.run(["record-1"])
      world.runUntilIdle()
      server.answer("record-1", with: .success(()))
      let failures = try world.run(until: importing)
      let again = try world.run(until: importer.run(["record-1"]))
      #expect(failures.isEmpty && again.isEmpty)
      #expect(server.pending.isEmpty)
      #expect(server.requested == ["record-1"])
    }
  }

  @Test("A record that the server has imported is in the journal, even if the interruption comes next", .rule("2.10"))
  func interrupted() throws {
    // Each round takes one more of the steps that follow the answer.
    var isIdle = false
    var count = 0
    while !isIdle {
      defer { try? FileManager.default.removeItem(at: file) }
      try TestWorld.run { world in
        let server = Requests<String, Void>()
        let importing = Importer(journal: try Journal(at: file), load: server.importRecord).run(["record-1"])
        world.runUntilIdle()
        server.answer("record-1", with: .success(()))
        isIdle = (0..<count).contains { _ in !world.step() }
        importing.cancel(upstream: true)
        world.runUntilIdle()
        #expect(importing.isFinished)
        #expect(journal == ["record-1"], "after \(count) steps")
      }
      count += 1
    }
    #expect(count > 2)
  }

  @Test("A journal that cannot be written makes a record a failure, and no attempt is repeated")
  func journalFails() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try TestWorld.run { world in
      let journal = try Journal(at: file)
      try journal.refuseLines(at: file)
      let importing = Importer(journal: journal, load: server.importRecord).run(["record-1"])
      world.runUntilIdle()
      server.answer("record-1", with: .success(()))
      let failures = try world.run(until: importing)
      #expect(failures.map(\.id) == ["record-1"])
      #expect(failures.first?.error is Journal.NotWritten)
      #expect(server.requested == ["record-1"])
      #expect(server.pending.isEmpty)
    }
  }
}
