import PromiseCombinators
import PromiseGates
import PromiseTesting
import TestSupport

extension ProgramRun {
  func enter(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let detail = line.detail
    let name = line.name
    let most = { @Sendable in shop.mostPlaces.withLock { $0 } }
    switch line.kind {
    case .guest:
      return shop.limit.run(queuePriority: detail % 3 == 0 ? 1 : nil) {
        shop.guest(of: "limit", name, detail, most: most())
      }
    case .asyncGuest:
      return shop.limit.asyncRun {
        try await shop.guest(of: "limit", name, detail, most: most()).value(cancelsSource: true)
      }
    case .serialGuest: return shop.serial.run { shop.guest(of: "serial", name, detail, most: 1) }
    case .asyncSerialGuest:
      return shop.serial.asyncRun {
        try await shop.guest(of: "serial", name, detail, most: 1).value(cancelsSource: true)
      }
    case .reader: return shop.readersWriter.read { shop.reader(name, detail) }
    case .asyncReader:
      return shop.readersWriter.asyncRead { try await shop.reader(name, detail).value(cancelsSource: true) }
    case .writer: return shop.readersWriter.write { shop.writer(name, detail) }
    case .asyncWriter:
      return shop.readersWriter.asyncWrite { try await shop.writer(name, detail).value(cancelsSource: true) }
    case .ratedGuest: return shop.rate.run { shop.guest(of: "rate", name, detail, most: .max) }
    default:
      return shop.rate.asyncRun {
        try await shop.guest(of: "rate", name, detail, most: .max).value(cancelsSource: true)
      }
    }
  }

  /// Takes a place of a gate if one is free.
  func takePlace(_ line: RandomOperation) -> Promise<Int>? {
    let place: GatePlace?
    switch line.detail % 3 {
    case 0: place = shop.limit.tryEnter()
    case 1: place = shop.readersWriter.tryRead()
    default: place = shop.readersWriter.tryWrite()
    }
    guard let place else { return .fulfilled(line.id) }
    let isPaused = line.detail % 3 == 0 ? shop.limit.isPaused : shop.readersWriter.isPaused
    log.require(!isPaused, "gates", "\(line.name) enters a gate that is paused")
    let guest =
      switch line.detail % 3 {
      case 0: shop.guest(of: "limit", line.name, line.detail, most: shop.mostPlaces.withLock { $0 })
      case 1: shop.reader(line.name, line.detail)
      default: shop.writer(line.name, line.detail)
      }
    place.leave(after: guest)
    return guest
  }

  func share(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let key = line.detail % 2
    let load = shop.load(of: key)
    switch line.kind {
    case .flight, .asyncFlight:
      let work = { @Sendable in
        shop.log.called(line.name)
        return shop.next("flight of \(key)", line.detail, rule: "flights", after: .finished)
      }
      if line.kind == .flight { return shop.flight.run(for: key, work) }
      return shop.flight.asyncRun(for: key) { try await work().value(cancelsSource: true) }
    case .staleCached:
      return shop.staleCache.value(for: key) { shop.load("stale \(load)", line.name, line.detail).promise }
    case .asyncCached:
      return shop.cache.asyncValue(for: key) {
        try await shop.load(load, line.name, line.detail).valueInTask()
      }
    default: return shop.cache.value(for: key) { shop.load(load, line.name, line.detail).promise }
    }
  }

  /// Operators that begin a step at the end of the step before.
  func loop(_ line: RandomOperation) -> Promise<Int>? {
    let context: any ExecutionContext = line.isHasty ? .atOnce : .pool
    let step = { @Sendable [shop] in shop.step(of: line, rule: "sequences") }
    switch line.kind {
    case .forEach: return Promise.forEach(0..<line.elementCount, on: context) { _ in step() }.map { line.id }
    case .chain:
      let link: @Sendable (Int) -> Promise<Int> = { value in step().map { value &+ $0 } }
      return .chain(0, Array(repeating: link, count: line.elementCount), on: context)
    default:
      let count = Locked(line.elementCount)
      return Promise.repeat(on: context) {
        let isEnd = count.withLock { count in
          count -= 1
          return count < 0
        }
        return isEnd ? nil : step()
      }.map { line.id }
    }
  }

  func retry(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let detail = line.detail
    let name = line.name
    let pauses = Backoff.constant(.milliseconds(detail % 4))
    let limit: Duration? = detail % 7 == 0 ? .milliseconds(detail % 20) : nil
    let context: any ExecutionContext = line.isHasty ? .atOnce : .pool
    switch line.kind {
    case .retry:
      return .retry(attempts: line.mostAttempts, backoff: pauses, within: limit, on: context) {
        shop.step(of: line, rule: "retry")
      }
    case .carryingRetry:
      let log = log
      let asking: @Sendable (RetryAttempt<Int>, any Error) -> Promise<Bool> = { attempt, _ in
        log.called("asking \(name)")
        log.require(attempt.carried == attempt.number, "retry", "\(name) carries \(attempt.carried)")
        return detail % 3 == 0 ? .after(.milliseconds(2), fulfill: detail % 2 == 0) : .fulfilled(true)
      }
      return .retry(
        attempts: line.mostAttempts, backoff: pauses, within: limit, until: .finished, on: context, carrying: 0,
        asking: asking
      ) { attempt in
        log.require(attempt.carried == attempt.number - 1, "retry", "\(name) carries \(attempt.carried)")
        attempt.carry(attempt.number)
        return shop.step(of: line, rule: "retry", after: .finished)
      }
    default:
      return .asyncRetry(attempts: line.mostAttempts, backoff: pauses, within: limit) {
        try await shop.next(name, detail, rule: "asyncRetry").value(cancelsSource: true)
      }
    }
  }

  func traverse(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let log = log
    let detail = line.detail
    let name = line.name
    let concurrency = 1 + detail % 3
    let elements = Array(0..<line.elementCount)
    let stream = SlowNumbers(count: line.elementCount, fails: detail % 11 == 0)
    switch line.kind {
    case .traverse:
      return Promise.traverse(elements, concurrency: concurrency, until: .finished) { _ in
        shop.guest(of: name, name, detail, most: concurrency)
      }.map { $0.count }
    case .traverseStream:
      return Promise.traverse(stream, concurrency: concurrency, until: .finished) { _ in
        shop.guest(of: name, name, detail, most: concurrency)
      }.map { $0.count }
    case .forEachStream:
      let last = Locked(0)
      return Promise.forEach(stream) { number in
        last.withLock { last in
          log.require(number == last + 1, "sequences", "\(name) sees \(number) after \(last)")
          last = number
        }
        return shop.next(name, detail, rule: "sequences")
      }.map { line.id }
    default:
      return Promise.asyncTraverse(elements, concurrency: concurrency) { _ in
        try await shop.guest(of: name, name, detail, most: concurrency).value(cancelsSource: true)
      }.map { $0.count }
    }
  }

  func use(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let log = log
    let detail = line.detail
    let id = line.id
    let user = Locked<OwnedWork?>(nil)
    log.limit("released by \(id)", to: 1, "2.10")
    let acquire: @Sendable () -> Promise<Int> = {
      let work = shop.begin("acquisition of \(id)", detail)
      // The hook of `work` may end it, so only a value counts.
      work.promise.onFulfilled(on: .atOnce) { _ in log.called("acquired by \(id)") }
      return work.promise
    }
    let release: @Sendable () -> Promise<Int> = {
      log.called("released by \(id)")
      log.require(user.withLock { $0 }?.isRunning != true, "2.10", "\(id) releases what is still used")
      return shop.begin("release of \(id)", detail, isCleanup: true).promise
    }
    let body: @Sendable () -> Promise<Int> = {
      log.called(line.name)
      let work = shop.begin("use of \(id)", detail)
      user.withLock { $0 = work }
      return work.promise
    }
    if line.kind == .using {
      return .using(Resource({ acquire() }, release: { _ in release() })) { _ in body() }
    }
    let resource = Resource(
      async: { try await acquire().value(cancelsSource: true) }, release: { _ in _ = try await release().value })
    return .asyncUsing(resource) { _ in try await body().value(cancelsSource: true) }
  }
}
