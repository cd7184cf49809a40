import Dispatch
import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

// Contains the snippets of Docs/Migrating/FromCompletionHandlers.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func calls(
  _ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>, _ error: any Error
) {
  deferred.fulfill(1)
  deferred.reject(error)
  _ = deferred.fulfill(2) == false
  _ = promise.then { load($0) }
  _ = Promise.all([promise, other])
  _ = Promise.allSettled([promise, other])
  _ = Promise.traverse([1, 2, 3], concurrency: 2) { load($0) }
  _ = promise.timeout(.seconds(5))
  _ = Promise.retry(attempts: 3) { load(1) }
  _ = promise.isCancelled
  promise.cancel()
  promise.cancel(upstream: true)
  deferred.onCancel { _ in stop() }
  deferred.report(progress: 0.5)

  let gate = SerialGate()
  _ = gate.run { load(1) }
  let flights = SingleFlight<String, Int>()
  _ = flights.run(for: "key") { load(1) }
}

private func places(_ promise: Promise<Int>, _ queue: DispatchQueue, _ label: Label, _ bag: CancelBag, _ bar: Gauge) {
  promise.tap(on: .main) { label.text = "\($0)" }
  promise.tap(on: queue) { log($0) }
  promise.bound(to: bag)
  promise.onProgress { bar.show($0) }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private struct Picture: Sendable, Equatable { let name: String }

/// A loader that calls back at once, through handlers as Swift imports them from Objective-C.
private struct Loader: Sendable {
  func load(_ name: String, completion: @Sendable (Picture?, (any Error)?) -> Void) {
    if name.isEmpty { completion(nil, Refused()) } else { completion(Picture(name: name), nil) }
  }
}

private struct Gallery: Sendable {
  let loader = Loader()

  func picture(_ name: String) -> Promise<Picture> {
    Promise { deferred in loader.load(name, completion: deferred.resolve) }
  }

  func load(_ name: String, completion: @escaping @MainActor (Picture?, (any Error)?) -> Void) {
    picture(name).onSettled(on: .main) { result in
      switch result {
      case .success(let picture): completion(picture, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }
}

@Suite("The migration guide from completion handlers") struct FromCompletionHandlersTests {
  private let gallery = Gallery()

  @Test("A promise calls a completion handler once, after the call has returned", arguments: ["Ada", ""])
  @MainActor func handsOut(_ name: String) throws {
    final class Calls {
      var pictures: [Picture?] = []
      var errors: [(any Error)?] = []
    }
    let calls = Calls()
    try TestWorld.run(checking: .running) { world in
      gallery.load(name) { picture, error in
        calls.pictures.append(picture)
        calls.errors.append(error)
      }
      #expect(calls.pictures.isEmpty)
      world.runUntilIdle()
    }
    #expect(calls.pictures == [name.isEmpty ? nil : Picture(name: name)])
    #expect((calls.errors.first ?? nil) is Refused == name.isEmpty)
    #expect(calls.errors.count == 1)
  }
}
