import PromiseCombinators
import PromiseTesting
import TestSupport

extension ProgramRun {
  /// Makes the promise of a line that has one source.
  func link(_ line: RandomOperation, to source: Promise<Int>) -> Promise<Int>? {
    linkWithHandler(line, to: source) ?? linkWithWork(line, to: source) ?? waiting(line, for: source)
  }

  /// Links whose handlers return a value or throw.
  private func linkWithHandler(_ line: RandomOperation, to source: Promise<Int>) -> Promise<Int>? {
    let log = log
    let name = line.name
    let detail = line.detail
    let failure = TestError(line.id)
    let context: any ExecutionContext = detail % 2 == 0 ? world.main : world.pool
    let transform: @Sendable (Int) throws -> Int = { value in
      log.called(name)
      if detail % 5 == 0 { throw failure }
      return value + 1
    }
    let replace: @Sendable (any Error) throws -> Int = { error in
      log.called(name)
      if detail % 3 == 0 { throw error }
      return line.id
    }
    switch line.kind {
    case .map: return source.map(on: context, transform)
    case .tap: return source.tap(on: context) { _ = try transform($0) }
    case .validate: return source.validate(on: context) { try transform($0) % 3 > 0 }
    case .compactMap: return source.compactMap(on: context) { try transform($0) % 3 > 0 ? detail : nil }
    case .unwrap: return source.map { $0 % 3 > 0 ? $0 : nil }.unwrap(or: line.id)
    case .recover: return source.recover(replace)
    case .recoverFailure:
      return source.recoverFailure { error in
        log.require(!(error is CancellationError), "1.2", "\(name) sees a cancellation")
        return try replace(error)
      }
    case .mapError:
      return source.mapError { error in
        log.called(name)
        return detail % 3 == 0 ? error : failure
      }
    case .markCancelled:
      return source.markCancelled { _ in
        log.called(name)
        return detail % 2 == 0
      }
    case .catchOnly:
      let isEven: @Sendable (TestError) -> Bool = { $0.number % 2 == 0 }
      return source.catch(only: TestError.self, where: isEven) { error in
        log.called(name)
        log.require(isEven(error), "7.1", "\(name) sees an error that it refuses")
      }
    case .catchFailure: return source.catchFailure(on: context) { _ in log.called(name) }
    case .mapBoth: return source.map(on: context, fulfilled: transform, rejected: replace)
    case .always: return source.always { _ in log.called(name) }
    case .timeout:
      // The long limit shows whether a timer that is not needed any more stays armed.
      let limit = detail % 4 == 0 ? 100_000 : detail % 10
      return source.timeout(.milliseconds(limit), cancelsSource: detail % 3 > 0)
    case .timeoutOrNil:
      let limit = detail % 4 == 0 ? 100_000 : detail % 10
      return source.timeoutOrNil(.milliseconds(limit), cancelsSource: detail % 3 > 0).map { $0 ?? line.id }
    case .delay: return source.delay(.milliseconds(detail % 6))
    case .shield: return source.shielded()
    default: return nil
    }
  }

  /// Links whose handlers begin work.
  private func linkWithWork(_ line: RandomOperation, to source: Promise<Int>) -> Promise<Int>? {
    let shop = shop
    let log = log
    let name = line.name
    let detail = line.detail
    let other = promises[line.second]
    let work: @Sendable () -> Promise<Int> = {
      log.called(name)
      return shop.begin("in \(name)", detail).promise
    }
    switch line.kind {
    case .then:
      return source.then { value in
        guard detail % 3 == 0 else { return work() }
        log.called(name)
        return other ?? .fulfilled(value)
      }
    case .tapThen: return source.tapThen { _ in work() }
    case .rescue: return source.rescue { _ in work() }
    case .rescueFailure: return source.rescueFailure { _ in work() }
    case .catchThen: return source.catchThen { _ in work() }
    case .thenBoth: return source.then(fulfilled: { _ in work() }, rejected: { _ in work() })
    case .alwaysThen:
      return source.alwaysThen { _ in
        log.called(name)
        return shop.begin("cleanup \(name)", detail, isCleanup: true).promise
      }
    case .asyncMap: return source.asyncMap { try await work().value(cancelsSource: true) + $0 }
    case .asyncTap: return source.asyncTap { _ in _ = try await work().value(cancelsSource: true) }
    case .asyncRecover: return source.asyncRecover { _ in try await work().value(cancelsSource: true) }
    case .asyncAlways:
      return source.asyncAlways { _ in
        log.called(name)
        _ = try await shop.begin("cleanup \(name)", detail, isCleanup: true).promise.value
      }
    case .reduce:
      return source.reduce(Array(0..<line.elementCount), on: line.isHasty ? .atOnce : .pool) { value, _ in
        shop.step(of: line, rule: "sequences").map { value &+ $0 }
      }
    case .join: return source.map { _ in work() }.join()
    default: return nil
    }
  }

  /// Promises that wait for a source without being below it.
  private func waiting(_ line: RandomOperation, for source: Promise<Int>) -> Promise<Int>? {
    let log = log
    let name = line.name
    let detail = line.detail
    switch line.kind {
    case .follow:
      let deferred = Deferred<Int>()
      deferred.follow(source)
      // A late owner would be reported.
      if let other = promises[line.second], deferred.promise.isPending { deferred.follow(other) }
      return deferred.promise
    case .followInTime:
      let deferred = Deferred<Int>()
      deferred.timeout(.milliseconds(detail % 4 == 0 ? 100_000 : detail % 10))
      deferred.follow(source)
      return deferred.promise
    case .relay:
      let deferred = Deferred<Int>()
      source.relay(to: deferred)
      return deferred.promise
    case .asResult: return source.asResult().map { _ in line.id }
    case .finish:
      return source.whenFinished().map {
        log.require(source.isFinished, "2.11", "\(name) comes before the end of its source")
        return line.id
      }
    case .cancelAndFinish:
      return Promise.task { @concurrent in
        try await source.cancelAndFinish(reason: TestError(line.id))
        log.require(source.isFinished, "2.11", "\(name) returns before the end of its source")
        return line.id
      }
    case .progressWaiter:
      return Promise.task { @concurrent in
        var last = 0.0
        for await value in source.progressUpdates {
          log.require(value >= last && value <= 1, "5.1", "\(name) sees \(value) after \(last)")
          last = value
        }
        guard !Task.isCancelled else { throw CancellationError() }
        log.require(!source.isPending, "5.3", "\(name) ends before its source is settled")
        log.require(!source.isFulfilled || last == 1, "5.3", "\(name) ends with \(last)")
        return line.id
      }
    default:
      return Promise.task { @concurrent in
        log.called(name)
        return try await source.value(cancelsSource: detail % 2 == 0)
      }
    }
  }
}
