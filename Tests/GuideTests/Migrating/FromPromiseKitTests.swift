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

private func calls(
  _ deferred: Deferred<Int>, _ promise: Promise<Int>, _ value: Int?, _ error: any Error, _ list: Promise<[Int]>,
  _ other: Promise<Int>, _ text: Promise<String>
) throws {
  _ = Promise<Int> { deferred in ask(deferred.resolve) }
  _ = Deferred<Int>()
  _ = (deferred.fulfill(1), deferred.reject(error))
  deferred.resolve(value, error)
  let result = Result<Int, any Error>.failure(error)
  deferred.settle(result)
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  func known() -> Promise<Int> { .rejected(error) }
  _ = Promise.fulfilled(())
  _ = Promise.after(.seconds(1))
  _ = Promise.run { try work() }
  deferred.follow(promise)
  promise.relay(to: deferred)

  _ = list.map { $0.map { $0 + 1 } }
  _ = list.then { Promise.all($0.map(load)) }
  _ = list.then { Promise.all($0.map(pages)) }.map { $0.flatMap { $0 } }

  _ = Promise.all([promise, other])
  _ = Promise.all(promise, text)
  let _: Promise<[Result<Int, any Error>]> = Promise.allSettled([promise, other])
  _ = Promise.traverse(1...9, concurrency: 4) { load($0) }
  _ = Promise.any([promise, other])
  _ = promise.timeout(.seconds(5))
  _ = Promise.retry(attempts: 3) { load(1) }

  _ = promise.result
  _ = (promise.isPending, promise.isFulfilled, promise.isRejected)
  _ = try promise.waitForResult(within: .seconds(5))
  _ = promise.isCancelled
  _ = CancellationError()
  promise.cancel()
  Diagnostics.onUnhandledRejection { print($0) }

  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)
  if case PromiseError.timedOut = error { print(error) }
}

private func links(_ promise: Promise<Int>, _ queue: DispatchQueue, _ label: Label) {
  promise.tap(on: .main) { label.text = "\($0)" }
  promise.tap { print($0) }
  promise.always { print($0) }
  _ = promise.rescue { _ in .fulfilled(0) }
  _ = promise.recover { _ in 0 }
  _ = promise.recover(from: Refused.self) { _ in 0 }
  promise.catch { print($0) }
  promise.catchFailure { print($0) }
  _ = promise.rescue(from: Refused.self) { _ in .fulfilled(0) }
  promise.catch(only: Refused.self) { print($0) }
  promise.always { _ in stop() }
  promise.alwaysThen { _ in load(0) }
  promise.onSettled { _ in stop() }
  promise.onFailed { print($0) }
  _ = promise.on(queue).map { $0 + 1 }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private func cancelling(_ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>) async throws {
  let first = deferred.promise
  promise.cancel(upstream: true)
  first.cancel()
  deferred.onCancel { _ in stop() }
  deferred.onEnd { _ in stop() }
  _ = promise.timeout(.seconds(5), cancelsSource: false)
  _ = Promise.all([promise, other], onFailure: .cancelRemaining)
  _ = try await promise.value(cancelsSource: true)
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
