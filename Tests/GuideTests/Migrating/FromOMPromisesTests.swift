import Dispatch
import Foundation
import PromiseCombinators
import PromiseHTTP
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Contains the example of Docs/Migrating/FromOMPromises.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func calls(
  _ deferred: Deferred<Int>, _ promise: Promise<Int>, _ queue: DispatchQueue, _ error: any Error, _ bar: Gauge,
  _ other: Promise<Int>, _ world: TestWorld
) throws {
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  _ = Promise.after(.seconds(1), fulfill: 42)
  _ = Promise<Int>.after(.seconds(1), reject: error)
  _ = Promise.run { try work() }
  _ = Promise.run(on: queue) { try work() }
  deferred.reject(error)
  deferred.onCancel { _ in stop() }
  promise.relay(to: deferred)

  _ = promise.map { $0 + 1 }
  _ = promise.then { load($0) }
  _ = promise.recover { _ in 0 }
  _ = promise.rescue { _ in load(0) }
  _ = promise.map(on: queue) { $0 + 1 }
  promise.onFulfilled { show($0) }
  promise.onRejected { log($0) }
  promise.onProgress { bar.show($0) }
  promise.onSettled { _ in stop() }
  promise.onFulfilled(on: queue) { show($0) }
  _ = promise.on(queue).map { $0 + 1 }
  _ = Promise.chain(1, [load, load])

  _ = Promise.all([promise, other])
  _ = Promise.any([promise, other])
  _ = Promise.allSettled([promise, other])

  _ = promise.shielded()
  _ = (promise.state, promise.result)
  _ = (promise.progress, promise.isCancelled)
  _ = PromiseError.noneFulfilled
  _ = try promise.waitForValue(within: .seconds(1))
  _ = try promise.waitForError(within: .seconds(1))
  _ = try world.run(until: promise)

  promise.cancel(upstream: true)
  _ = promise.map { _ in throw Refused() }.asVoid()
  _ = promise.map(weight: 1) { $0 + 1 }
}

private func lazily(_ lazy: LazyPromise<Int>) {
  _ = LazyPromise.run { try work() }
  _ = LazyPromise<Int> { deferred in ask(deferred.resolve) }
  _ = (lazy.start(), lazy.isStarted)
}

/// A server that begins a transfer and answers nothing.
private struct FileServer {
  final class Transfer: Sendable { func stop() {} }

  func load(
    _ name: String, progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping @Sendable (String?, (any Error)?) -> Void
  ) -> Transfer { Transfer() }
}

/// The tests of the recipe for an upload run the same code.
private struct Example {
  let server = FileServer()

  func download(_ name: String) -> Promise<String> {
    let deferred = Deferred<String>()
    let transfer = server.load(
      name,
      progress: { deferred.report(progress: $0) },
      completion: deferred.resolve)
    deferred.onCancel { [weak transfer] _ in transfer?.stop() }
    return deferred.promise
  }
}

@Suite("The migration guide from OMPromises") struct FromOMPromisesTests {
  @Test("No handler runs inside the call that settles, and the links of a chain inherit its context", .rule("2.1"))
  func contexts() {
    let deferred = Deferred<Int>()
    let context = ManualContext()
    let last = deferred.promise.on(context).map { $0 + 1 }.map { $0 + 1 }.promise
    deferred.fulfill(1)
    #expect(context.step())
    #expect(last.isPending)
    #expect(context.step())
    #expect(last.state.value == 3)
  }

  @Test(
    "A rejection keeps the progress along a chain, and that of other promises only if it was read", .rule("5.2"),
    arguments: [false, true])
  func progress(isRead: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let deferred = Deferred<Int>()
      let other = Deferred<Int>()
      let derived = deferred.promise.then { load($0) }
      let all = Promise.all(deferred.promise, other.promise)
      let cancelled = other.promise.map { $0 }
      let late = other.promise.timeout(.seconds(1))
      derived.onRejected { _ in }
      all.onRejected { _ in }
      late.onRejected { _ in }
      deferred.report(progress: 0.5)
      other.report(progress: 0.5)
      if isRead {
        #expect(all.progress == 0.5)
        #expect(cancelled.progress == 0.5)
        #expect(late.progress == 0.5)
      }
      deferred.reject(Refused())
      cancelled.cancel()
      world.advance(by: .seconds(1))
      #expect(deferred.promise.progress == 0.5)
      #expect(derived.progress == 0.25)
      #expect(all.progress == (isRead ? 0.5 : 0))
      #expect(cancelled.progress == (isRead ? 0.5 : 0))
      #expect(late.progress == (isRead ? 0.5 : 0))
    }
  }

  @Test(
    "A late settlement, cancellation or report does not throw, and progress has no tolerance",
    .rule("1.3", "4.1", "5.1"))
  func nothingThrows() {
    let late = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: late.append) {
      let deferred = Deferred<Int>()
      #expect(deferred.report(progress: 0.5))
      #expect(!deferred.report(progress: 0.5))
      #expect(!deferred.report(progress: 0.4))
      #expect(deferred.report(progress: (0.5).nextUp))
      #expect(deferred.report(progress: 2))
      #expect(deferred.promise.progress == 1)
      #expect(deferred.fulfill(1))
      #expect(deferred.fulfill(2) == false)
      #expect(!deferred.report(progress: 1))
      deferred.promise.cancel()
      #expect(deferred.promise.isFulfilled)
    }
  }
}

private struct User: Codable, Sendable {
  let name: String
}

private func requests(_ session: URLSession, _ address: String, _ user: User, _ response: HTTPResponse) {
  _ = session.promise(for: .get("\(address)/users").query(["since": 1843]))
  _ = session.promise(for: .post("\(address)/users").form(["name": "Ada L."]))
  _ = session.promise(for: .post("\(address)/users").json(user))
  _ = (HTTPRequest.put(address), HTTPRequest.head(address), HTTPRequest.delete(address))
  let request = HTTPRequest.get("\(address)/users/{name}", ["name": "Ada L."])
  _ = request.header("Accept-Language", "en")
  _ = request.idleTimeout(.seconds(20))
  _ = (response.status, response["Location"], response.body)
  _ = session.promise(for: request, decodingIfPresent: User.self)
}
