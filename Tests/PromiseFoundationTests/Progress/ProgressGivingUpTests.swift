import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Cancelling Foundation's Progress", .bounded)
struct ProgressGivingUpTests {
  private let context = ManualContext()

  /// Returns an owner, and a promise that its cancellation hook fulfils. Foundation calls the cancellation handler on
  /// another thread, so a test must await the hook.
  private func makeWork() -> (owner: Deferred<Int>, stopped: Promise<String>) {
    let (owner, stopped) = (Deferred<Int>(), Deferred<String>())
    owner.onCancel { stopped.fulfill("\($0)") }
    return (owner, stopped.promise)
  }

  @Test(
    "Cancelling a Progress cancels its promise, and stops the work at the start of a chain of links",
    .rule("4.0", "4.5", "4.6"), arguments: 0..<3)
  func links(length: Int) async throws {
    let (owner, stopped) = makeWork()
    let promise = (0..<length).reduce(owner.promise) { promise, _ in promise.map(on: context) { $0 } }
    Foundation.Progress.following(promise, on: context).cancel()
    #expect(try await stopped.value == "CancellationError()")
    #expect(promise.isCancelled && owner.promise.isCancelled)
  }

  @Test("Cancelling a Progress stops the work that its promise has adopted through a link", .rule("4.6"))
  func adopted() async throws {
    let (owner, stopped) = makeWork()
    let work = owner.promise
    let promise = Promise.fulfilled(1).then(on: context) { [context] _ in work.map(on: context) { $0 } }
    context.runUntilIdle()
    Foundation.Progress.following(promise, on: context).cancel()
    #expect(try await stopped.value == "CancellationError()")
    #expect(promise.isCancelled)
  }

  @Test("Cancelling a Progress stops work whose promise no client retains but a link still needs", .rule("4.6"))
  func releasedClient() async throws {
    let (owner, stopped) = (Deferred<Int>(cancelWhenUnobserved: true), Deferred<String>())
    owner.onCancel { stopped.fulfill("\($0)") }
    var promise: Promise<Int>? = owner.promise
    let link = promise?.map(on: context) { $0 }
    let progress = promise.map { Foundation.Progress.following($0, on: context) }
    promise = nil
    progress?.cancel()
    #expect(try await stopped.promise.value == "CancellationError()")
    #expect(link?.isCancelled == true)
  }

  @Test("Cancelling a Progress does not stop work that has another consumer", .rule("4.6"))
  func shared() async throws {
    let (owner, _) = makeWork()
    let (other, cancelled) = (owner.promise.map(on: context) { $0 }, Deferred<Void>())
    let promise = owner.promise.map(on: context) { $0 }
    let follower = Deferred<Int>()
    follower.onCancel { _ in cancelled.fulfill() }
    follower.follow(promise)
    Foundation.Progress.following(follower.promise, on: context).cancel()
    try await cancelled.promise.value
    #expect(await eventually { promise.isCancelled })
    #expect(owner.promise.isPending && other.isPending)
  }
}
