import Dispatch
import PromiseCombinators
import PromiseGates
import TestSupport

// Compiles calls in the tables of Docs/Reference/Operators.md and in the tables "Which call do I want?" of the guides
// to contexts, chaining and cancellation. The tests of the operators, links and contexts run them.

private struct Unavailable: Error {}

private struct Pool: Sendable {
  struct Connection: Sendable {
    func query(_ text: String) -> Promise<[String]> { .fulfilled([]) }
    func rows(_ text: String) async throws -> [String] { [] }
  }

  func connect() -> Promise<Connection> { .fulfilled(Connection()) }
  func takeBack(_ connection: Connection) -> Promise<Void> { .fulfilled(()) }
  func open() async throws -> Connection { Connection() }
  func close(_ connection: Connection) async throws {}
}

/// A snippet of the guide to cancellation.
private struct Using {
  let pool: Pool

  func towns() -> Promise<[String]> {
    Promise.using(pool.connect, release: pool.takeBack) { connection in
      connection.query("select name from towns")
    }
  }
}

private struct Bank: Sendable {
  struct Transaction: Sendable { func insert(_ row: String) -> Promise<Int> { .fulfilled(1) } }

  func begin() -> Promise<Transaction> { .fulfilled(Transaction()) }
  func end(_ transaction: Transaction, after outcome: Result<Int, any Error>) -> Promise<Void> { .fulfilled(()) }
}

private struct Document: Sendable {
  func copy(to other: Document) -> Promise<Int> { .fulfilled(1) }
}

extension GuideServer {
  fileprivate func close() -> Promise<Void> { .fulfilled(()) }
  fileprivate func isOnline() -> Promise<Bool> { .fulfilled(true) }
  fileprivate func send(_ letters: [String], from attempt: RetryAttempt<Int>) -> Promise<Void> { .fulfilled(()) }
}

private func operators(
  _ server: GuideServer, _ page: Promise<String>, _ pages: [Promise<String>], _ towns: Promise<[String]>,
  _ named: [String: Promise<String>], _ names: [String], _ pool: Pool,
  _ bank: Bank, _ source: Resource<Document>, _ target: Resource<Document>, _ letters: [String]
) {
  let gate = SerialGate()
  let limit = ConcurrencyLimit(4)
  let shelf = ReadersWriterGate()
  let rate = RateLimit(10, per: .seconds(1))
  let flights = SingleFlight<String, String>()
  let visible = QueuePriority(1)
  let cache = ValueCache<String, String>(lifetime: .seconds(60))

  _ = Promise.all(pages)
  _ = Promise.all(page, towns)
  _ = Promise.all(pages, onRejection: .cancelRemaining)
  _ = Promise.allSettled(pages)
  _ = page.asResult()
  _ = Promise.any(pages, cancelsLosers: true)
  _ = Promise.some(pages, count: 2)
  _ = Promise.race(pages)
  _ = Promise.any(enumerating: pages)
  _ = Promise.any(inOrder: pages)
  _ = Promise.all(named)
  _ = Promise.race(named)
  _ = Promise.traverse(names, concurrency: 4) { name in server.page(name) }
  _ = Promise.traverse(names, concurrency: 4) { name in server.page(name).asResult() }
  _ = Promise.all(names.map { name in limit.run { server.page(name) } })
  _ = Promise.forEach(names) { name in server.page(name) }
  _ = Promise.reduce(all: pages) { text, page in server.page(text + page) }
  _ = page.reduce(names) { text, name in server.page(name).map { text + $0 } }
  _ = Promise.asyncTraverse(names, concurrency: 4) { name in try await server.page(name).value }
  _ = page.timeout(.seconds(5))
  _ = page.timeout(.seconds(5), error: TooSlow())
  _ = page.timeoutOrNil(.seconds(5))
  _ = Promise.retry(attempts: 4, backoff: .exponential(first: .seconds(1))) { server.page("weather") }
  _ = Promise.retry(attempts: 3) { attempt in server.page("mirror \(attempt)") }
  _ = Promise.retry(attempts: 60, within: .seconds(60)) { server.page("weather") }
  _ = Promise.retry(attempts: 9, carrying: 0) { attempt in server.send(letters, from: attempt) }
  _ = Promise.retry(carrying: (), asking: { _, _ in server.isOnline() }, { _ in server.page("weather") })
  _ = Promise.after(.milliseconds(300)).then { server.page("weather") }
  _ = page.delay(.seconds(1))
  _ = Promise.using(pool.connect, release: pool.takeBack) { $0.query("towns") }
  _ = Promise.using(bank.begin, release: bank.end) { $0.insert("Bern") }
  _ = Promise.using(source, target) { $0.copy(to: $1) }
  _ = Promise.asyncUsing(pool.open, release: pool.close) { try await $0.rows("towns") }
  page.alwaysThen { _ in server.close() }
  _ = gate.run { server.page("weather") }
  _ = limit.run { server.page("weather") }
  _ = ConcurrencyLimit(4, waitingAtMost: .seconds(2))
  _ = ConcurrencyLimit(4, queueLimit: 20)
  _ = limit.whenRoom()
  limit.placeCount = 2
  _ = limit.run(queuePriority: visible) { server.page("weather") }
  _ = shelf.read { server.page("weather") }
  _ = rate.run { server.page("weather") }
  _ = flights.run(for: "weather") { server.page("weather") }
  _ = cache.value(for: "weather") { server.page("weather") }
  _ = LazyPromise.adopting { server.page("weather") }
  _ = ConcurrencyLimit(4, until: .settled)
  _ = Promise.traverse(names, concurrency: 4, until: .finished) { name in server.page(name) }
  _ = Promise.retry(until: .finished) { server.page("weather") }
  _ = SingleFlight<String, String>(until: .finished)
}

@MainActor private final class Screen { var total = 0 }
private actor Account { var balance = 0 }
private struct Table: Sendable {
  func insert(_ amount: Int) {}
  func contains(_ amount: Int) -> Bool { true }
}

private func contexts(
  _ deposit: Promise<Int>, _ screen: Screen, _ account: Account, _ queue: DispatchQueue, _ log: Log<Int>,
  _ table: Table, _ executor: any TaskExecutor
) {
  deposit.tap { log.append($0) }
  deposit.tap(on: .main) { screen.total = $0 }
  _ = deposit.on(.main)
  deposit.tap(isolatedTo: account) { account, amount in account.balance += amount }
  deposit.tap(on: queue) { table.insert($0) }
  _ = deposit.map(on: .concurrent(queue)) { table.contains($0) }
  deposit.tap(on: .global(qos: .utility)) { log.append($0) }
  deposit.tap(on: .task(priority: .low)) { log.append($0) }
  deposit.tap(on: .executor(executor)) { log.append($0) }
  _ = deposit.asyncMap { amount in try await convert(amount) }
  _ = Promise.run { try count() }
  _ = Promise.run(on: queue) { try count() }
}

private func convert(_ amount: Int) async throws -> Int { amount }
private func count() throws -> Int { 1 }

private struct Parcel: Sendable {
  let number: Int
  let isPaid: Bool
  let note: String?
}

private func links(
  _ parcel: Promise<Parcel>, _ place: Promise<String>, _ log: Log<String>,
  _ position: @escaping @Sendable (Parcel) -> Promise<String>, _ lastKnown: @escaping @Sendable () -> Promise<String>,
  _ save: @escaping @Sendable () -> Promise<Void>
) async throws {
  _ = parcel.map { $0.number }
  _ = parcel.then { position($0) }
  parcel.tap { log.append("\($0.number)") }
  _ = parcel.validate { $0.isPaid }
  _ = parcel.compactMap { $0.note }
  _ = parcel.map { $0.note }.unwrap(or: "no note")
  _ = place.recover { _ in "unknown" }
  _ = place.recover(from: Unavailable.self) { _ in "unknown" }
  _ = place.recoverFailure { _ in "unknown" }
  _ = place.rescue { _ in lastKnown() }
  _ = place.rescue(from: Unavailable.self) { _ in lastKnown() }
  _ = place.rescueFailure { _ in lastKnown() }
  place.catch { error in log.append("\(error)") }
  place.catchThen { _ in save() }
  place.catchFailure { error in log.append("\(error)") }
  place.catchFailure(only: Unavailable.self) { _ in log.append("no place") }
  _ = place.mapError { _ in Unavailable() }
  _ = place.markCancelled { $0 is Unavailable }
  place.tapThen { _ in save() }
  place.always { _ in log.append("done") }
  place.alwaysThen { _ in save() }
  _ = parcel.map(fulfilled: { "\($0.number)" }, rejected: { _ in "unknown" })
  _ = parcel.asVoid()
  place.onFulfilled { log.append($0) }
  place.onFailed { error in log.append("\(error)") }
  place.onRejected { error in log.append("\(error)") }
  place.onSettled { log.append("\($0)") }
  _ = parcel.asyncMap { parcel in try await lookUp(parcel.number) }
  _ = try await place.value
}

private func lookUp(_ number: Int) async throws -> String { "\(number)" }

private struct OutOfService: Error {}
private struct TooSlow: Error {}

extension Pool.Connection { fileprivate func close() {} }

private func cancelling(
  _ best: Promise<String>, _ shared: Promise<String>, _ work: Deferred<String>, _ screen: some CancelBagOwner,
  _ connection: Pool.Connection
) async throws -> Promise<String> {
  best.cancel()
  let mine = shared.map { $0 }
  mine.cancel(upstream: true)
  shared.cancel(upstream: true)
  _ = try await best.value(cancelsSource: true)
  try await best.cancelAndFinish()
  let stopped = best.whenFinished()
  _ = stopped
  let bag = screen.cancelBag
  bag.cancelAll()
  try await bag.whenFinished().value
  bag.close()
  _ = try await shared.value
  best.bound(to: screen)
  let inTime = best.timeout(.seconds(5))
  _ = inTime
  work.onCancel { _ in connection.close() }
  work.onEnd { _ in connection.close() }
  work.reject(OutOfService())
  return work.promise.shielded()
}
