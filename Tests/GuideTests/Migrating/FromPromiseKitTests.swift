import Dispatch
import Foundation
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Contains the example of Docs/Migrating/FromPromiseKit.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func making(_ deferred: Deferred<Int>, _ value: Int?, _ error: any Error) {
  _ = Promise<Int> { deferred in ask(deferred.resolve) }
  _ = Deferred<Int>()
  _ = deferred.promise
  _ = (deferred.fulfill(1), deferred.reject(error))
  deferred.resolve(value, error)
  let result = Result<Int, any Error>.failure(error)
  deferred.settle(result)
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  func known() -> Promise<Int> { .rejected(error) }
  _ = Promise.fulfilled(())
  _ = load(1)
  _ = Promise.after(.seconds(1))
  _ = Promise.run { try work() }
}

private func links(_ promise: Promise<Int>, _ text: Promise<String>, _ queue: DispatchQueue, _ label: Label) {
  _ = promise.then { load($0) }
  _ = promise.map { $0 + 1 }
  _ = text.compactMap { Int($0) }
  promise.tap(on: .main) { label.text = "\($0)" }
  promise.tap { print($0) }
  promise.always { print($0) }
  _ = promise.asVoid()
  _ = promise.rescue { _ in .fulfilled(0) }
  _ = promise.recover { _ in 0 }
  _ = promise.recover(from: Refused.self) { _ in 0 }
  promise.catch { print($0) }
  promise.catchFailure { print($0) }
  _ = promise.rescue(from: Refused.self) { _ in .fulfilled(0) }
  promise.catch(only: Refused.self) { print($0) }
  promise.always { _ in stop() }
  _ = promise.map(\.bitWidth)
  _ = text.compactMap(\.first)
  promise.alwaysThen { _ in load(0) }
  promise.onSettled { _ in stop() }
  promise.onFailed { print($0) }
  promise.tap(on: queue) { print($0) }
  _ = promise.on(queue).map { $0 + 1 }
}

private func lists(_ list: Promise<[Int]>, _ texts: Promise<[String]>) {
  _ = list.map { $0.map { $0 + 1 } }
  _ = list.map { $0.map(\.bitWidth) }
  _ = list.map { $0.flatMap { [$0, $0] } }
  _ = texts.map { $0.compactMap { Int($0) } }
  _ = list.map { $0.filter { $0 > 0 } }
  _ = list.map { $0.sorted() }
  _ = (list.compactMap { $0.first }, list.compactMap { $0.last })
  _ = list.then { Promise.all($0.map(load)) }
  _ = list.then { Promise.traverse($0, concurrency: 4) { load($0) } }
  _ = list.then { Promise.all($0.map(pages)) }.map { $0.flatMap { $0 } }
}

private func piping(_ promise: Promise<Int>, _ deferred: Deferred<Int>) {
  deferred.follow(promise)
  promise.relay(to: deferred)
}

private func several(_ promise: Promise<Int>, _ other: Promise<Int>, _ text: Promise<String>) {
  _ = Promise.all([promise, other])
  _ = Promise.all(promise, text)
  let settled: Promise<[Result<Int, any Error>]> = Promise.allSettled([promise, other])
  _ = settled
  _ = Promise.traverse(1...9, concurrency: 4) { load($0) }
  _ = Promise.race([promise, other])
  _ = Promise.race(promise, other)
  _ = Promise.any([promise, other])
  _ = promise.timeout(.seconds(5))
  _ = Promise.retry(attempts: 3) { load(1) }
}

private func states(_ promise: Promise<Int>) throws {
  _ = promise.result
  _ = (promise.isPending, promise.isFulfilled, promise.isRejected)
  _ = try promise.waitForResult(within: .seconds(5))
  _ = promise.isCancelled
  _ = CancellationError()
  promise.cancel()
  _ = PromiseError.noValue
  Diagnostics.onUnhandledRejection { print($0) }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private func cancelling(_ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>) async throws {
  let first = deferred.promise
  promise.cancel(upstream: true)
  first.cancel()
  deferred.onCancel { _ in stop() }
  _ = promise.timeout(.seconds(5), cancelsSource: false)
  _ = Promise.all([promise, other], onFailure: .cancelRemaining)
  _ = Promise.race([promise, other], cancelsLosers: true)
  _ = try await promise.value(cancelsSource: true)
}

private func others(_ promise: Promise<Int>, _ error: any Error) {
  promise.onProgress { print($0) }
  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)
  if case PromiseError.timedOut = error { print(error) }
}

private struct User: Codable, Sendable {
  let name: String
}

private func animate(completion: (@Sendable (Bool) -> Void)?) { completion?(true) }

private func frameworks(
  _ session: URLSession, _ request: URLRequest, _ address: String, _ data: Data, _ file: URL
) {
  _ = session.promise(for: request)
  _ = session.promise(for: .get(address))
  _ = session.promise(for: .get(address), decoding: User.self)
  _ = session.promise(for: request, uploading: data)
  _ = session.promise(for: request, uploadingFile: file)
  _ = session.promise(for: request, downloadingTo: file)
  _ = Command("git", ["status"]).run()
  _ = Promise<Bool> { deferred in animate(completion: deferred.resolve) }
}

private func ends(_ promise: Promise<Int>, _ deferred: Deferred<Int>, _ bag: CancelBag) {
  promise.bound(to: bag)
  deferred.onEnd { _ in stop() }
}

@Suite("The migration guide from PromiseKit")
struct FromPromiseKitTests {
  @Test("A link without a context runs while the caller blocks its thread", .rule("2.1"))
  func pool() throws {
    #expect(try Promise.fulfilled(1).map { $0 + 1 }.waitForResult(within: .seconds(60)) == 2)
  }

  @Test("catch and always see a cancellation and pass it on", .rule("2.3"))
  func catches() throws {
    try TestWorld.run(checking: .running) { world in
      let log = Log<String>()
      let deferred = Deferred<Int>()
      let end = deferred.promise.catch { _ in log.append("catch") }.always { _ in log.append("always") }
      deferred.promise.cancel()
      world.runUntilIdle()
      #expect(Set(log.entries) == ["catch", "always"])
      #expect(end.isCancelled)
    }
  }

  @Test(
    "A cancellation gives up the promise that replaces ensureThen, but not a promise begun in always",
    .rule("2.5", "4.4"))
  func ensuresWhenCancelled() throws {
    try TestWorld.run(checking: .running) { world in
      let (work, stopped, begun) = (Deferred<Int>(), Deferred<Int>(), Deferred<Int>())
      let ended = work.promise.then(
        fulfilled: { _ in stopped.promise }, rejected: { [promise = stopped.promise] _ in promise })
      let always = work.promise.always { [promise = begun.promise] _ in _ = promise.map { $0 } }
      work.promise.cancel()
      world.runUntilIdle()
      #expect(ended.isCancelled && stopped.promise.isCancelled && always.isCancelled && begun.promise.isPending)
      begun.fulfill(1)
    }
  }

  @Test(
    "The replacement of ensureThen passes the outcome on after the other promise", .rule("2.10"),
    arguments: [true, false])
  func ensureThen(_ isFine: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let promise: Promise<Int> = isFine ? .fulfilled(1) : .rejected(Refused())
      let ended = world.settling(promise.alwaysThen { _ in load(0) })
      #expect(ended.valueNow == (isFine ? 1 : nil))
      #expect((ended.errorNow is Refused) != isFine)
    }
  }

  @Test("The replacements of thenMap and thenFlatMap keep the order of the list", arguments: [[1, 2, 3], []])
  func lists(_ numbers: [Int]) throws {
    try TestWorld.run(checking: .running) { world in
      let list = Promise.fulfilled(numbers)
      #expect(world.settling(list.then { Promise.all($0.map(load)) }).valueNow == numbers)
      #expect(world.settling(list.then { Promise.traverse($0, concurrency: 4) { load($0) } }).valueNow == numbers)
      #expect(world.settling(list.then { Promise.all($0.map(pages)) }.map { $0.flatMap { $0 } }).valueNow == numbers)
      let first = world.settling(list.compactMap { $0.first })
      #expect(numbers.isEmpty ? name(of: first.errorNow) == "noValue" : first.valueNow == 1)
    }
  }

  @Test("race and any reject empty input")
  func empty() {
    #expect(name(of: Promise<Int>.race([]).errorNow) == "emptyInput")
    #expect(name(of: Promise<Int>.any([]).errorNow) == "emptyInput")
  }
}
