import PromiseCombinators
import PromiseGates
import PromiseTesting
import TestSupport

/// Begins the work that a program needs, also from its closures, and keeps the gates and tables that it shares.
final class Workshop: Sendable {
  let log: RunLog
  let limit = ConcurrencyLimit(2)
  let serial = SerialGate(queueLimit: 3)
  let readersWriter = ReadersWriterGate()
  let rate = RateLimit(2, per: .milliseconds(7))
  let flight = SingleFlight<Int, Int>(until: .finished)
  let cache = ValueCache<Int, Int>(lifetime: .milliseconds(Workshop.lifetime))
  let staleCache = ValueCache<Int, Int>(
    lifetime: .milliseconds(Workshop.lifetime), staleWhileRevalidating: .milliseconds(6))
  let context: TestContext
  /// The promises that the program holds, by their lines.
  let promises = Locked<[Int: Promise<Int>]>([:])
  static let lifetime = 9

  /// The highest number of places that the limit has had. Guests that it has admitted then may begin later.
  let mostPlaces = Locked(2)
  private let time = Locked(0)
  private let allWork = Locked<[OwnedWork]>([])
  private let forgotten = Locked<[Int: Int]>([:])
  private let guests = Locked<[String: [OwnedWork]]>([:])

  init(log: RunLog, context: TestContext) { (self.log, self.context) = (log, context) }

  var now: Int { time.withLock { $0 } }
  var work: [OwnedWork] { allWork.withLock { $0 } }

  /// Moves the owners' time by a millisecond.
  func tick() {
    let now = time.withLock { time in
      time += 1
      return time
    }
    for work in work { work.act(at: now) }
  }

  @discardableResult
  func begin(_ name: String, _ detail: Int, isCleanup: Bool = false) -> OwnedWork {
    let count = work.count
    let work = OwnedWork(
      name, detail: (detail &* 31 &+ count &* 17) % 1_000, now: now, isCleanup: isCleanup, hooksOn: context, log: log)
    allWork.withLock { $0.append(work) }
    return work
  }

  /// Begins work in a gate. No more than this number may run there.
  func guest(of gate: String, _ name: String, _ detail: Int, most: Int) -> Promise<Int> {
    log.called(name)
    let inside = guests.withLock { $0[gate, default: []] }.count(where: \.isRunning)
    log.require(inside < most, "gates", "\(gate) admits \(name), and has \(inside) of \(most) guests")
    let work = begin("guest \(name)", detail)
    guests.withLock { $0[gate, default: []].append(work) }
    return work.promise
  }

  func reader(_ name: String, _ detail: Int) -> Promise<Int> {
    let writers = guests.withLock { $0["writers", default: []] }.count(where: \.isRunning)
    log.require(writers == 0, "gates", "\(name) reads beside a writer")
    return guest(of: "readers", name, detail, most: .max)
  }

  func writer(_ name: String, _ detail: Int) -> Promise<Int> {
    let readers = guests.withLock { $0["readers", default: []] }.count(where: \.isRunning)
    log.require(readers == 0, "gates", "\(name) writes beside a reader")
    return guest(of: "writers", name, detail, most: 1)
  }

  /// Begins a load of the cache. Within the lifetime of a value, no other load of its key may begin.
  ///
  /// - Parameter key: The key, with the number of times that it was forgotten before the load was requested.
  func load(_ key: String, _ name: String, _ detail: Int) -> OwnedWork {
    log.called(name)
    let last = guests.withLock { $0["loads of \(key)", default: []].last }
    // The owners' time is ahead of the world's by at most a millisecond.
    let isStale = last?.fulfilledAt.map { now >= $0 - 1 + Self.lifetime }
    log.require(isStale != false, "caches", "\(name) loads \(key) again")
    let isRunning = last.map { $0.promise.isPending && !$0.awaitsTask } ?? false
    log.require(!isRunning, "caches", "two loads of \(key) run: \(name)")
    let work = begin("load \(name)", detail)
    guests.withLock { $0["loads of \(key)", default: []].append(work) }
    return work
  }

  func load(of key: Int) -> String { "\(key), forgotten \(forgotten.withLock { $0[key, default: 0] }) times" }

  /// Allows another load of a key.
  func forget(_ key: Int) {
    cache.removeValue(for: key)
    staleCache.removeValue(for: key)
    forgotten.withLock { $0[key, default: 0] += 1 }
  }

  /// Begins the work of one of several calls of a closure, of which each waits for the end of the one before.
  ///
  /// - Parameter end: Whether the work before must have finished, or only be settled.
  func next(_ name: String, _ detail: Int, rule: String, after end: WorkEnd = .settled) -> Promise<Int> {
    log.called(name)
    let last = guests.withLock { $0[name, default: []].last }
    let isBusy = end == .settled ? last?.promise.isPending : last?.isRunning
    log.require(isBusy != true, rule, "\(name) is called before the end of its last work")
    if rule == "retry" {
      log.require(last?.promise.isCancelled != true, "1.2", "\(name) is called after a cancelled attempt")
    } else if rule == "asyncRetry" {
      // An async closure throws only the error, without the mark.
      log.require(!(last?.promise.error is CancellationError), "1.2", "\(name) is called after a cancelled attempt")
    }
    let work = begin("work of \(name)", detail)
    guests.withLock { $0[name, default: []].append(work) }
    return work.promise
  }

  /// Begins the work of a step of an operator's line.
  ///
  /// In some lines, the steps after the first end at once, before the operator knows them, because they run inside each
  /// other. The second one may give up the result of the line.
  func step(of line: RandomOperation, rule: String, after end: WorkEnd = .settled) -> Promise<Int> {
    let count = log.calls(of: line.name)
    guard line.isHasty, count > 0 else { return next(line.name, line.detail, rule: rule, after: end) }
    log.called(line.name)
    if count == 1, line.detail % 3 == 0, let promise = promises.withLock({ $0[line.id] }), promise.isPending {
      promise.cancel(reason: TestError(line.id), upstream: true)
      log.limitCalls(afterEndOf: line)
    }
    return rule == "retry" ? .rejected(TestError(count)) : .fulfilled(count)
  }

  /// Pauses a gate, or lets it go on.
  func pause(_ number: Int, _ isPaused: Bool) {
    switch number % 4 {
    case 0: limit.isPaused = isPaused
    case 1: serial.isPaused = isPaused
    case 2: readersWriter.isPaused = isPaused
    default: rate.isPaused = isPaused
    }
  }

  /// Cancels the promise of some work by name.
  func cancelWork(_ number: Int, reason: any Error) {
    let work = work.filter { !$0.isCleanup }
    if !work.isEmpty { work[work.count - 1 - number % work.count].promise.cancel(reason: reason, upstream: true) }
  }

  func examine() {
    for work in work { work.examine() }
  }

  func examineEnd() {
    for work in work { work.examineEnd() }
    let running = [limit.runningCount, serial.runningCount, readersWriter.runningCount]
    let waiting = [limit.waitingCount, serial.waitingCount, readersWriter.waitingCount, rate.waitingCount]
    log.require(running == [0, 0, 0], "gates", "guests are inside: \(running)")
    log.require(waiting == [0, 0, 0, 0], "gates", "guests wait: \(waiting)")
  }
}

/// Numbers that come one after the other, each after a pause.
struct SlowNumbers: AsyncSequence, Sendable {
  struct Iterator: AsyncIteratorProtocol {
    var next = 0
    let count: Int
    let fails: Bool

    mutating func next() async throws -> Int? {
      try await Promise.after(.milliseconds(next % 2)).value(cancelsSource: true)
      if next == count {
        if fails { throw TestError(count) }
        return nil
      }
      next += 1
      return next
    }
  }

  let count: Int
  let fails: Bool

  func makeAsyncIterator() -> Iterator { Iterator(count: count, fails: fails) }
}
