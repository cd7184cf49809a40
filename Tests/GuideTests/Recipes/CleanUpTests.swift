import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/CleanUp.md, and those of `using` and `Resource` in Sources, word for word.
// `Scripts/check-snippets.py` compares them.

/// A transaction whose steps the test ends.
private final class Transaction: Sendable {
  let log = Log<String>()
  let steps = (0..<2).map { _ in Deferred<Int>() }
  let ending = Deferred<Void>()

  func add(_ amount: Int, to account: String) -> Promise<Int> {
    let step = steps[log.entries.count]
    log.append("add \(amount) to \(account)")
    return step.promise
  }

  func insert(_ row: String) -> Promise<Int> { add(1, to: row) }

  func commit() -> Promise<Void> {
    log.append("commit")
    return ending.promise
  }

  func rollBack() -> Promise<Void> {
    log.append("roll back")
    return ending.promise
  }
}

/// A file that logs what happens to it.
private struct File: Sendable {
  let name: String
  let log: Log<String>

  func close() -> Promise<Void> { log.append("close \(name)", returning: .fulfilled(())) }
  func remove() -> Promise<Void> { log.append("remove \(name)", returning: .fulfilled(())) }
  func copy(to other: File) -> Promise<Int> {
    log.append("copy \(name) to \(other.name)")
    return name == "damaged" ? .rejected(TestError(1)) : .fulfilled(9)
  }
}

private struct Folder: Sendable {
  let log = Log<String>()

  func open(_ name: String) -> Promise<File> {
    log.append("open \(name)", returning: .fulfilled(File(name: name, log: log)))
  }

  func create(_ name: String) -> Promise<File> {
    log.append("create \(name)")
    return name.isEmpty ? .rejected(TestError(2)) : .fulfilled(File(name: name, log: log))
  }
}

private struct Connection: Sendable {
  let log: Log<String>

  func count(_ table: String) async throws -> Int { log.append("count \(table)", returning: 3) }
  func query(_ text: String) -> Promise<[String]> { .fulfilled([text]) }
}

private struct Database: Sendable {
  let log = Log<String>()

  func begin() -> Promise<Transaction> { .fulfilled(Transaction()) }
  func connect() async throws -> Connection { log.append("connect", returning: Connection(log: log)) }
  func disconnect(_: Connection) async { log.append("disconnect") }
  func lock(_ table: String) async -> String { log.append("lock \(table)", returning: table) }
  func unlock(_ table: String) async { log.append("unlock \(table)") }
}

private enum Guide {
  struct Bank: Sendable {
    let begin: @Sendable () -> Promise<Transaction>

    func transfer(_ amount: Int, from payer: String, to payee: String) -> Promise<Int> {
      Promise.using(begin, release: end) { transaction in
        transaction.add(-amount, to: payer).then { _ in transaction.add(amount, to: payee) }
      }
    }

    private func end(_ transaction: Transaction, after outcome: Result<Int, any Error>) -> Promise<Void> {
      switch outcome {
      case .success: transaction.commit()
      case .failure: transaction.rollBack()
      }
    }
  }

  struct Statistics {
    func count(_ table: String, in database: Database) -> Promise<Int> {
      Promise.asyncUsing(
        Resource(async: database.connect, release: database.disconnect),
        Resource(async: { await database.lock(table) }, release: database.unlock)
      ) { connection, _ in
        try await connection.count(table)
      }
    }
  }
}

extension Folder {
  func reading(_ name: String) -> Resource<File> {
    Resource({ open(name) }, release: { file in file.close() })
  }

  /// A new file, which stays only if the use has succeeded.
  func writing(_ name: String) -> Resource<File> {
    Resource(
      { create(name) },
      release: { file, outcome in
        switch outcome {
        case .success: file.close()
        case .failure: file.remove()
        }
      })
  }

  func copy(_ name: String, to other: String) -> Promise<Int> {
    Promise.using(reading(name), writing(other)) { source, target in
      source.copy(to: target)
    }
  }
}

/// The snippets of the comments. Only compiled.
private enum Comments {
  struct Pool: Sendable {
    let connect: @Sendable () -> Promise<Connection>
    let takeBack: @Sendable (Connection) -> Promise<Void>

    var connection: Resource<Connection> { Resource(connect, release: takeBack) }
  }

  static func uses(_ pool: Pool, _ database: Database, _ source: Resource<File>, _ target: Resource<File>) {
    let rows = Promise.using(pool.connection) { connection in connection.query("select * from towns") }
    let count = Promise.using(source, target) { source, target in source.copy(to: target) }
    let number = Promise.using(
      database.begin,
      release: { transaction, outcome in
        switch outcome {
        case .success: transaction.commit()
        case .failure: transaction.rollBack()
        }
      },
      { transaction in transaction.insert("Bern") })
    _ = (rows, count, number)
  }
}

@Suite("The recipe for cleaning up", .rule("2.10")) struct CleanUpTests {
  private let world = TestWorld()
  private let transaction = Transaction()

  private func transfer() -> Promise<Int> {
    world.run {
      Guide.Bank { [transaction] in .fulfilled(transaction) }.transfer(5, from: "Ada", to: "Bob")
    }
  }

  /// Ends a step of the transaction with a value.
  private func endStep(_ number: Int) {
    world.runUntilIdle()
    transaction.steps[number].fulfill(number)
    world.runUntilIdle()
  }

  @Test("A transfer is committed, and has its value when that has ended")
  func commit() {
    let result = transfer()
    endStep(0)
    endStep(1)
    #expect(transaction.log.entries == ["add -5 to Ada", "add 5 to Bob", "commit"])
    #expect(result.isPending)
    transaction.ending.fulfill()
    world.runUntilIdle()
    #expect(result.state.value == 1)
  }

  /// The end of a transfer that fails.
  enum End: CaseIterable, Sendable { case error, cancellation, limit }

  @Test("A transfer that fails, is cancelled or takes too long is rolled back", arguments: End.allCases)
  func rollBack(_ end: End) {
    let result = world.run { end == .limit ? transfer().timeout(.seconds(1)) : transfer() }
    endStep(0)
    switch end {
    case .error: transaction.steps[1].reject(TestError(1))
    case .cancellation: result.cancel(upstream: true)
    case .limit: world.advance(by: .seconds(1))
    }
    world.runUntilIdle()
    #expect(transaction.log.entries == ["add -5 to Ada", "add 5 to Bob", "roll back"])
    #expect(!result.isFinished)
    transaction.ending.fulfill()
    world.runUntilIdle()
    #expect(result.isFinished)
    #expect(result.isRejected)
  }

  @Test("A file is copied, and an incomplete copy is removed")
  func copy() {
    let folder = Folder()
    let copies = world.run { [folder.copy("a", to: "b"), folder.copy("damaged", to: "c"), folder.copy("d", to: "")] }
    world.runUntilIdle()
    #expect(copies[0].state.value == 9)
    #expect(copies[1].failure == .test(1))
    #expect(copies[2].failure == .test(2))
    let entries = folder.log.entries
    #expect(
      entries.filter { $0.hasSuffix(" b") || $0.hasSuffix(" a") || $0.hasPrefix("copy a") } == [
        "open a", "create b", "copy a to b", "close b", "close a",
      ])
    #expect(
      entries.filter { $0.hasSuffix("c") || $0.hasSuffix("damaged") } == [
        "open damaged", "create c", "copy damaged to c", "remove c", "close damaged",
      ])
    #expect(entries.filter { $0.hasSuffix(" d") || $0.hasSuffix("create ") } == ["open d", "create ", "close d"])
  }

  @Test("Async closures are called in order")
  func asyncClosures() throws {
    try TestWorld.run { _ in
      let database = Database()
      let count = try await Guide.Statistics().count("towns", in: database).value
      #expect(count == 3)
      #expect(database.log.entries == ["connect", "lock towns", "count towns", "unlock towns", "disconnect"])
    }
  }
}
