import PromiseCombinators
import PromiseGates
import PromiseTesting
import TestSupport

extension ProgramRun {
  /// Makes the promise of a line, unless the program no longer has its sources.
  func make(_ line: RandomOperation) -> Promise<Int>? {
    log.limit(line.name, to: line.mostCalls, "2.1")
    switch line.kind {
    case .owned: return shop.begin("owned \(line.id)", line.detail).promise
    case .after: return .after(.milliseconds(line.detail % 12), fulfill: line.id)
    case .task:
      let shop = shop
      return Promise.task { @concurrent in
        shop.log.called(line.name)
        return try await shop.begin("in task \(line.id)", line.detail).promise.value(cancelsSource: true)
      }
    case .run:
      return .run(on: world.main) { [log] in
        log.called(line.name)
        if line.detail % 5 == 0 { throw TestError(line.id) }
        return line.id
      }
    case .body:
      return Promise(on: world.pool) { [shop] owner in
        shop.log.called(line.name)
        if line.detail % 5 == 0 { throw TestError(line.id) }
        owner.follow(shop.begin("in \(line.name)", line.detail).promise)
      }
    case .limited, .limitedOwner: return limit(line)
    case .lazy: return makeLazy(line)
    case .lazyClient: return lazies[line.first]?.promise
    case .derivedLazy: return deriveLazy(line)
    case .all, .pair, .any, .anyInOrder, .anyEnumerated, .race, .raceEnumerated, .raceNamed, .some, .allSettled,
      .reduceAll:
      return combine(line)
    case .guest, .asyncGuest, .serialGuest, .asyncSerialGuest, .reader, .asyncReader, .writer, .asyncWriter,
      .ratedGuest, .asyncRatedGuest:
      return enter(line)
    case .place: return takePlace(line)
    case .whenIdle: return shop.limit.whenIdle().map { line.id }
    case .whenEmpty: return shop.limit.whenEmpty().map { line.id }
    case .whenRoom: return shop.serial.whenRoom().map { line.id }
    case .whenBagFinished:
      let bound = bound.compactMap { promises[$0] }
      return bag.whenFinished().map { [log] in
        log.require(bound.allSatisfy(\.isFinished), "2.11", "\(line.name) comes before the end of what was bound")
        return line.id
      }
    case .cached, .asyncCached, .staleCached, .flight, .asyncFlight: return share(line)
    case .forEach, .repeating, .chain: return loop(line)
    case .retry, .carryingRetry, .asyncRetry: return retry(line)
    case .traverse, .traverseStream, .forEachStream, .asyncTraverse: return traverse(line)
    case .using, .asyncUsing: return use(line)
    default: return promises[line.first].flatMap { link(line, to: $0) }
    }
  }

  /// Makes a promise that alone waits for some work, for a limited time.
  private func limit(_ line: RandomOperation) -> Promise<Int> {
    let limited = shop.begin("limited \(line.id)", line.detail)
    limitedWork[line.id] = limited
    let work = limited.promise
    let limit = Duration.milliseconds(1 + line.detail % 10)
    if line.kind == .limited { return work.timeout(limit, cancelsSource: line.detail % 3 > 0) }
    let deferred = Deferred<Int>()
    deferred.onCancel { [log] _ in log.called(line.name) }
    deferred.timeout(limit)
    deferred.follow(work)
    return deferred.promise
  }

  private func makeLazy(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let lazy = LazyPromise.adopting {
      shop.next("lazy \(line.id)", line.detail, rule: "4.6")
    }
    lazies[line.id] = lazy
    return line.detail % 3 == 0 ? .fulfilled(0) : lazy.promise
  }

  private func deriveLazy(_ line: RandomOperation) -> Promise<Int>? {
    guard let source = lazies[line.first] else { return nil }
    let shop = shop
    let derived =
      switch line.detail % 5 {
      case 0: source.map { $0 + 1 }
      case 1: source.recover { _ in line.id }
      case 2: source.then { _ in shop.begin("in \(line.name)", line.detail).promise }
      case 3: source.rescue { _ in shop.begin("in \(line.name)", line.detail).promise }
      default: source.derive { promise in promise.map { $0 + 1 } }
      }
    lazies[line.id] = derived
    return line.detail % 3 == 0 ? .fulfilled(0) : derived.promise
  }

  private func combine(_ line: RandomOperation) -> Promise<Int>? {
    guard let first = promises[line.first], let second = promises[line.second] else { return nil }
    let inputs = [first, second]
    let cancels = line.detail % 2 == 0
    switch line.kind {
    case .all:
      let policy: RejectionPolicy = [.leaveRunning, .cancelRemaining, .waitForAll][line.detail % 3]
      return Promise.all(inputs, onRejection: policy).map { $0[0] &+ $0[1] }
    case .pair:
      return Promise.all(first, second, onRejection: cancels ? .cancelRemaining : .waitForAll).map { $0 &+ $1 }
    case .any: return .any(inputs, cancelsLosers: cancels)
    case .anyInOrder: return .any(inOrder: inputs, cancelsLosers: cancels)
    case .anyEnumerated: return Promise.any(enumerating: inputs, cancelsLosers: cancels).map { $0.offset }
    case .race: return .race(inputs, cancelsLosers: cancels)
    case .raceEnumerated: return Promise.race(enumerating: inputs, cancelsLosers: cancels).map { $0.offset }
    // One name, because a dictionary has no order.
    case .raceNamed: return Promise.race([line.id: first], cancelsLosers: cancels).map { $0.key }
    case .reduceAll:
      let shop = shop
      return .reduce(all: inputs) { one, other in
        shop.next(line.name, line.detail, rule: "sequences").map { one &+ other &+ $0 }
      }
    case .some: return Promise.some(inputs, count: 1, cancelsLosers: cancels).map { $0[0] }
    default: return Promise.allSettled(inputs).map { $0.count }
    }
  }
}

extension RandomOperation {
  /// How often the closure of the line may be called.
  fileprivate var mostCalls: Int {
    switch kind {
    case .retry, .carryingRetry, .asyncRetry: mostAttempts
    case .traverse, .traverseStream, .forEachStream, .asyncTraverse, .forEach, .repeating, .reduce, .chain: elementCount
    case .lazy: .max
    default: 1
    }
  }

  var mostAttempts: Int { 1 + detail % 5 }
  var elementCount: Int { detail % 5 }
}
