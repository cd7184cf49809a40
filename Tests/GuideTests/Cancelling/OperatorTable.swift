import Foundation
import PromiseCombinators
import PromiseFoundation
import PromiseGates
import TestSupport
import TestedCalls

/// The calls with which a test checks an operator in the table of Docs/Reference/CancellationByOperator.md.
struct Operator: Sendable {
  typealias Making = @Sendable (Promise<Int>) -> any Cancellable

  /// Makes the result of a pending source.
  var ofSource: Making? = nil
  /// Makes a result whose closure has returned the promise after the world has run.
  var ofMade: Making? = nil
  /// Makes a result that fails, or whose time limit expires, before the world has run for ten seconds. The promise is
  /// the source of the result, or another input.
  var failing: Making? = nil
}

/// An object that a test can cancel, such as a promise, a lazy promise, a Task in a promise, or a `Progress`.
protocol Cancellable {
  func give(up upstream: Bool)
}

extension AnyPromise: Cancellable {
  func give(up upstream: Bool) { upstream ? cancel(upstream: true) : cancel() }
}

extension LazyPromise: Cancellable {
  func give(up upstream: Bool) { upstream ? cancel(upstream: true) : cancel() }
}

extension PromiseOnContext: Cancellable {
  func give(up upstream: Bool) { upstream ? cancel(upstream: true) : cancel() }
}

extension Promise<Int> {
  /// Waits for the value, and gives up the promise if the Task is cancelled.
  fileprivate func wanted() async throws -> Int { try await value(cancelsSource: true) }
}

/// The cancellable result of `Progress.following`. Foundation on Linux calls the cancellation handler on a queue, so
/// the test calls the handler itself.
private struct Following: Cancellable {
  let progress: Progress

  func give(up upstream: Bool) { progress.cancellationHandler?() }
}

/// A cancellable result together with an object that it needs.
private struct Keeping: Cancellable {
  let result: any Cancellable
  let kept: any Sendable

  func give(up upstream: Bool) { result.give(up: upstream) }
}

extension Operator {
  /// A promise that is pending for longer than any test.
  private static var never: Promise<Int> { .after(.seconds(100_000), fulfill: 0) }

  static let all: [String: Operator] = [links, otherLinks, owners, combinators, sequences, gates, waits]
    .reduce(into: [:]) { $0.merge($1) { $1 } }

  /// The links and observers that have a handler. A link for errors of one type has the row of the link for all errors.
  private static let links: [String: Operator] = LinkKind.allCases.reduce(into: [:]) { table, kind in
    let row = kind.rawValue.replacing("(from:)", with: "").replacing("(only:)", with: "")
    if table[row] == nil { table[row] = fromSource { kind.attach(to: $0, on: .pool, giving: 0) {} } }
  }

  private static let otherLinks: [String: Operator] = [
    "asVoid": fromSource { $0.asVoid() },
    "alwaysThen": Operator(
      ofSource: { $0.alwaysThen { _ in Promise.fulfilled(0) } },
      ofMade: { made in Promise.fulfilled(1).alwaysThen { _ in made } }),
    "asyncAlways": Operator(
      ofSource: { $0.asyncAlways { _ in } },
      ofMade: { made in Promise.fulfilled(1).asyncAlways { _ in _ = try await made.wanted() } }),
    "then": Operator(
      ofSource: { $0.then { .fulfilled($0) } },
      ofMade: { made in Promise.fulfilled(1).then { _ in made } }),
    "tapThen": Operator(
      ofSource: { $0.tapThen { Promise.fulfilled($0) } },
      ofMade: { made in Promise.fulfilled(1).tapThen { _ in made } }),
    "catchThen": Operator(
      ofSource: { $0.catchThen { _ in Promise.fulfilled(0) } },
      ofMade: { made in Promise<Int>.rejected(TestError(1)).catchThen { _ in made } }),
    "rescue": Operator(
      ofSource: { $0.rescue { _ in .fulfilled(0) } },
      ofMade: { made in Promise<Int>.rejected(TestError(1)).rescue { _ in made } }),
    "rescueFailure": Operator(
      ofSource: { $0.rescueFailure { _ in .fulfilled(0) } },
      ofMade: { made in Promise<Int>.rejected(TestError(1)).rescueFailure { _ in made } }),
    "then(fulfilled:rejected:)": Operator(
      ofSource: { $0.then(fulfilled: { .fulfilled($0) }, rejected: { .rejected($0) }) },
      ofMade: { made in Promise.fulfilled(1).then(fulfilled: { _ in made }, rejected: { .rejected($0) }) }),
    "asyncMap": Operator(
      ofSource: { $0.asyncMap { $0 } },
      ofMade: { made in Promise.fulfilled(1).asyncMap { _ in try await made.wanted() } }),
    "asyncTap": Operator(
      ofSource: { $0.asyncTap { _ in } },
      ofMade: { made in Promise.fulfilled(1).asyncTap { _ in _ = try await made.wanted() } }),
    "asyncRecover": Operator(
      ofSource: { $0.asyncRecover { _ in 0 } },
      ofMade: { made in
        Promise<Int>.rejected(TestError(1)).asyncRecover { _ in try await made.wanted() }
      }),
    "shielded": fromSource { $0.shielded() },
    "onProgress": fromSource { $0.onProgress { _ in } },
    "labeled": fromSource { $0.labeled("source") },
    "on(_:)": fromSource { $0.on(.pool) },
    "bound(to:)": Operator(ofSource: { promise in
      let bag = CancelBag()
      return Keeping(result: promise.bound(to: bag), kept: bag)
    }),
  ]

  private static let owners: [String: Operator] = [
    "follow(_:)": following { $1.follow($0) },
    "relay(to:)": following { $0.relay(to: $1) },
    "Promise.task": fromMade { made in Promise.task { try await made.wanted() } },
    "deferred.timeout(_:)": Operator(
      failing: { promise in
        let deferred = Deferred<Int>()
        deferred.follow(promise)
        deferred.timeout(.seconds(1))
        return Keeping(result: deferred.promise, kept: deferred)
      }),
    "timeout(_:)": Operator(ofSource: { $0.timeout(.seconds(60)) }, failing: { $0.timeout(.seconds(1)) }),
    "timeout(_:cancelsSource: false)": Operator(
      ofSource: { $0.timeout(.seconds(60), cancelsSource: false) },
      failing: { $0.timeout(.seconds(1), cancelsSource: false) }),
    "timeoutOrNil(_:)": Operator(
      ofSource: { $0.timeoutOrNil(.seconds(60)) }, failing: { $0.timeoutOrNil(.seconds(1)) }),
    "timeoutOrNil(_:cancelsSource: false)": Operator(
      ofSource: { $0.timeoutOrNil(.seconds(60), cancelsSource: false) },
      failing: { $0.timeoutOrNil(.seconds(1), cancelsSource: false) }),
    "asResult": fromSource { $0.asResult() },
    "delay(_:)": fromSource { $0.delay(.seconds(60)) },
  ]

  /// The combinators that have rows of their own. After a second, another input fails or wins.
  private static let combinators: [String: Operator] = Combinator<Int>.all.reduce(into: [:]) { table, combinator in
    guard let row = combinator.row else { return }
    table[row] = Operator(
      ofSource: { combinator.combine([$0, never]) },
      failing: { source in
        let wins = combinator.function.hasPrefix("any")
        let other: Promise<Int> = wins ? .after(.seconds(1), fulfill: 1) : .after(.seconds(1), reject: TestError(1))
        return combinator.combine([source, other])
      })
  }

  private static let sequences: [String: Operator] = [
    "Promise.traverse": fromMade { made in Promise.traverse([1], concurrency: 1) { _ in made } },
    "Promise.asyncTraverse": fromMade { made in
      Promise.asyncTraverse([1], concurrency: 1) { _ in try await made.wanted() }
    },
    "Promise.forEach": fromMade { made in Promise.forEach([1]) { _ in made } },
    "Promise.repeat": fromMade { made in Promise.repeat { made } },
    "Promise.chain": fromMade { made in Promise.chain(1, [{ _ in made }]) },
    "reduce": Operator(
      ofSource: { $0.reduce([1]) { .fulfilled($0 + $1) } },
      ofMade: { made in Promise.fulfilled(0).reduce([1]) { _, _ in made } }),
    "Promise.reduce(all:)": Operator(
      ofSource: { Promise.reduce(all: [$0, never]) { .fulfilled($0 + $1) } },
      ofMade: { made in Promise.reduce(all: [.fulfilled(1), .fulfilled(2)]) { _, _ in made } },
      failing: { source in
        Promise.reduce(all: [source, .after(.seconds(1), reject: TestError(1))]) { .fulfilled($0 + $1) }
      }),
    "unwrap(or:)": fromSource { $0.map { Int?($0) }.unwrap(or: 0) },
    "join": Operator(
      ofSource: { $0.map { Promise.fulfilled($0) }.join() },
      ofMade: { made in Promise.fulfilled(made).join() }),
    "Promise.retry": fromMade { made in Promise.retry(attempts: 4) { made } },
    "Promise.using": Operator(
      ofMade: { made in Promise.using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(0) }) { _ in made } }),
    "Promise.asyncUsing": fromMade { made in
      Promise.asyncUsing({ 1 }, release: { _ in }) { _ in try await made.wanted() }
    },
    "Promise.asyncRetry": fromMade { made in Promise.asyncRetry(attempts: 4) { try await made.wanted() } },
  ]

  private static let gates: [String: Operator] = [
    "SerialGate.run": fromMade { made in SerialGate().run { made } },
    "ConcurrencyLimit.run": fromMade { made in ConcurrencyLimit(2).run { made } },
    "RateLimit.run": fromMade { made in RateLimit(2, per: .seconds(1)).run { made } },
    "ReadersWriterGate.read": fromMade { made in ReadersWriterGate().read { made } },
    "ReadersWriterGate.write": fromMade { made in ReadersWriterGate().write { made } },
    "RateLimit.asyncRun": fromMade { made in RateLimit(2, per: .seconds(1)).asyncRun { try await made.wanted() } },
    "SerialGate.asyncRun": fromMade { made in SerialGate().asyncRun { try await made.wanted() } },
    "ConcurrencyLimit.asyncRun": fromMade { made in ConcurrencyLimit(2).asyncRun { try await made.wanted() } },
    "ReadersWriterGate.asyncRead": fromMade { made in ReadersWriterGate().asyncRead { try await made.wanted() } },
    "ReadersWriterGate.asyncWrite": fromMade { made in ReadersWriterGate().asyncWrite { try await made.wanted() } },
    "SingleFlight.run": fromMade { made in SingleFlight<Int, Int>().run(for: 1) { made } },
    "SingleFlight.asyncRun": fromMade { made in SingleFlight<Int, Int>().asyncRun(for: 1) { try await made.wanted() } },
    "ValueCache.value": fromMade { made in ValueCache<Int, Int>().value(for: 1) { made } },
    "ValueCache.asyncValue": fromMade { made in ValueCache<Int, Int>().asyncValue(for: 1) { try await made.wanted() } },
    "LazyPromise.adopting": fromMade { made in started(LazyPromise.adopting { made }) },
    "LazyPromise.map": fromSource { source in started(LazyPromise.adopting { source }.map { $0 }) },
    "LazyPromise.recover": fromSource { source in started(LazyPromise.adopting { source }.recover { _ in 0 }) },
    "LazyPromise.then": Operator(
      ofSource: { source in started(LazyPromise.adopting { source }.then { .fulfilled($0) }) },
      ofMade: { made in started(LazyPromise.adopting { .fulfilled(1) }.then { _ in made }) }),
    "LazyPromise.rescue": Operator(
      ofSource: { source in started(LazyPromise.adopting { source }.rescue { _ in .fulfilled(0) }) },
      ofMade: { made in
        started(LazyPromise<Int>.adopting { .rejected(TestError(1)) }.rescue { _ in made })
      }),
    "LazyPromise.derive": Operator(
      ofSource: { source in started(LazyPromise.adopting { source }.derive { $0.map { $0 } }) },
      ofMade: { made in started(LazyPromise.adopting { .fulfilled(1) }.derive { $0.then { _ in made } }) }),
  ]

  private static let waits: [String: Operator] = [
    "value": fromSource { source in Promise.task { try await source.value } },
    "value(cancelsSource: true)": fromSource { source in Promise.task { try await source.value(cancelsSource: true) } },
    "progressUpdates": fromSource { source in Promise.task { for await _ in source.progressUpdates {} } },
    "waitForValue(within:)": blocking { _ = try $0.waitForValue(within: .milliseconds(1)) },
    "waitForError(within:)": blocking { _ = try $0.waitForError(within: .milliseconds(1)) },
    "waitForResult(within:)": blocking { _ = try $0.waitForResult(within: .milliseconds(1)) },
    "Progress.following": fromSource { Following(progress: .following($0, on: .pool)) },
  ]

  private static func fromSource(_ make: @escaping Making) -> Operator { Operator(ofSource: make) }
  private static func fromMade(_ make: @escaping Making) -> Operator { Operator(ofMade: make) }

  /// Returns the calls of a promise whose owner follows the source, or settles its promise itself.
  private static func following(_ attach: @escaping @Sendable (Promise<Int>, Deferred<Int>) -> Void) -> Operator {
    let make: @Sendable (Promise<Int>) -> Deferred<Int> = { source in
      let deferred = Deferred<Int>()
      attach(source, deferred)
      return deferred
    }
    return Operator(
      ofSource: { make($0).promise },
      failing: { source in
        let deferred = make(source)
        deferred.reject(TestError(1))
        return deferred.promise
      })
  }

  /// Returns the call of a blocking wait that times out.
  private static func blocking(_ wait: @escaping @Sendable (Promise<Int>) throws -> Void) -> Operator {
    Operator(failing: { source in
      try? wait(source)
      return Promise.fulfilled(0)
    })
  }

  private static func started<Value>(_ lazy: LazyPromise<Value>) -> LazyPromise<Value> {
    lazy.start()
    return lazy
  }
}
