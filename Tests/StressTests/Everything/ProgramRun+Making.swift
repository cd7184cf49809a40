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
    case .lazy: return makeLazy(line)
    case .lazyClient: return lazies[line.first]?.promise
    case .all, .any, .race, .some, .allSettled: return combine(line)
    case .guest, .asyncGuest, .serialGuest, .reader, .writer, .ratedGuest, .whenIdle, .whenRoom: return enter(line)
    case .cached, .flight: return share(line)
    case .retry, .carryingRetry, .asyncRetry: return retry(line)
    case .traverse, .traverseStream, .forEachStream, .asyncTraverse: return traverse(line)
    case .using, .asyncUsing: return use(line)
    default: return promises[line.first].flatMap { link(line, to: $0) }
    }
  }

  private func makeLazy(_ line: RandomOperation) -> Promise<Int>? {
    let shop = shop
    let lazy = LazyPromise.adopting {
      shop.next("lazy \(line.id)", line.detail, rule: "4.6")
    }
    lazies[line.id] = lazy
    return line.detail % 3 == 0 ? .fulfilled(0) : lazy.promise
  }

  private func link(_ line: RandomOperation, to source: Promise<Int>) -> Promise<Int>? {
    let shop = shop
    let log = log
    let detail = line.detail
    let name = line.name
    let other = promises[line.second]
    switch line.kind {
    case .map:
      return source.map(on: detail % 2 == 0 ? world.main : world.pool) { value in
        log.called(name)
        if detail % 5 == 0 { throw TestError(line.id) }
        return value + 1
      }
    case .then, .recover:
      guard line.kind == .then else {
        return source.recover { error in
          log.called(name)
          if detail % 3 == 0 { throw error }
          return line.id
        }
      }
      return source.then { value in
        log.called(name)
        return detail % 3 == 0 ? other ?? .fulfilled(value) : shop.begin("in \(name)", detail).promise
      }
    case .tapThen:
      return source.tapThen { _ in
        log.called(name)
        return shop.begin("in \(name)", detail).promise
      }
    case .always: return source.always { _ in log.called(name) }
    case .alwaysThen:
      return source.alwaysThen { _ in
        log.called(name)
        return shop.begin("cleanup \(name)", detail, isCleanup: true).promise
      }
    case .asyncMap:
      return source.asyncMap { value in
        log.called(name)
        return try await shop.begin("in \(name)", detail).promise.value(cancelsSource: true) + value
      }
    case .asyncAlways:
      return source.asyncAlways { _ in
        log.called(name)
        _ = try await shop.begin("cleanup \(name)", detail, isCleanup: true).promise.value
      }
    case .timeout:
      // The long limit shows whether a timer that is not needed any more stays armed.
      let limit = detail % 4 == 0 ? 100_000 : detail % 10
      return source.timeout(.milliseconds(limit), cancelsSource: detail % 3 > 0)
    case .delay: return source.delay(.milliseconds(detail % 6))
    case .shield: return source.shielded()
    case .follow:
      let deferred = Deferred<Int>()
      deferred.follow(source)
      // A late owner would be reported.
      if let other, deferred.promise.isPending { deferred.follow(other) }
      return deferred.promise
    default:
      return Promise.task { @concurrent in
        log.called(name)
        return try await source.value(cancelsSource: detail % 2 == 0)
      }
    }
  }

  private func combine(_ line: RandomOperation) -> Promise<Int>? {
    guard let first = promises[line.first], let second = promises[line.second] else { return nil }
    let inputs = [first, second]
    let cancels = line.detail % 2 == 0
    switch line.kind {
    case .all:
      let policy: RejectionPolicy = [.leaveRunning, .cancelRemaining, .waitForAll][line.detail % 3]
      return Promise.all(inputs, onRejection: policy).map { $0[0] &+ $0[1] }
    case .any: return .any(inputs, cancelsLosers: cancels)
    case .race: return .race(inputs, cancelsLosers: cancels)
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
    case .traverse, .traverseStream, .forEachStream, .asyncTraverse: elementCount
    case .lazy: .max
    default: 1
    }
  }

  var mostAttempts: Int { 1 + detail % 4 }
  var elementCount: Int { detail % 5 }
}
