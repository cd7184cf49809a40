import Foundation
import LoopbackServer
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

/// On Linux, Foundation stops the process if a task is cancelled between a redirection and the answer of its delegate.
/// So these tests fail by crashing.
@Suite("Requests that are cancelled while they are redirected", .bounded)
struct RedirectCancelTests {
  /// The moment at which the server cancels a request.
  private enum Moment: Int, CaseIterable {
    /// The request has arrived, and the server has not answered.
    case beforeRedirect
    /// The redirection has just been sent.
    case atRedirect
    /// The request that follows the redirection has arrived.
    case afterRedirect
  }

  /// Redirects `/NUMBER` to `/NUMBER/end`. The number of a request determines when it is cancelled.
  private func exchange(
    promises: Locked<[Int: AnyPromise]>, open gate: Gate, cancel: @escaping @Sendable (AnyPromise) -> Void
  ) throws -> Exchange {
    try Exchange(connections: 20) { request in
      let parts = request.path.split(separator: "/")
      guard let number = Int(parts[0]), let moment = Moment(rawValue: number % Moment.allCases.count) else {
        return .text("no number")
      }
      gate.wait()
      let cancelNow = { @Sendable in if let promise = promises.withLock({ $0[number] }) { cancel(promise) } }
      if parts.count > 1 {
        if moment == .afterRedirect { cancelNow() }
        return .text("arrived")
      }
      if moment == .beforeRedirect { cancelNow() }
      return Response(
        status: 302, headers: [("Location", "/\(number)/end")],
        pieces: [.call { if moment == .atRedirect { cancelNow() } }])
    }
  }

  @Test(
    "A request that is cancelled while it is redirected is rejected, and its session still works", .rule("4.1"),
    arguments: Transfer.allCases)
  func cancelled(_ transfer: Transfer) async throws {
    let promises = Locked<[Int: AnyPromise]>([:])
    var endings = (cancelled: 0, fulfilled: 0)
    for _ in 0..<25 {
      let gate = Gate()
      let exchange = try exchange(promises: promises, open: gate) { $0.cancel() }
      let begun = try (0..<20).map { number in
        let begun = try exchange.begin(transfer, "/\(number)")
        promises.withLock { $0[number] = begun.promise }
        return begun
      }
      gate.open()
      for request in begun {
        let failure = await request.response.failure
        #expect(failure == nil || failure is CancellationError)
        if failure == nil { endings.fulfilled += 1 } else { endings.cancelled += 1 }
      }
      #expect(try await exchange.session.promise(for: exchange.url("/next")).value.0 == Data("no number".utf8))
      try await exchange.folder.waitUntilNothingIsWritten()
    }
    #expect(endings.cancelled + endings.fulfilled == 500)
    #expect(endings.cancelled > 0)
  }

  @Test(
    "A request that times out while it is redirected is rejected with the timeout, and its session still works",
    .rule("4.6"))
  func timedOut() async throws {
    let (gate, promises, count) = (Gate(), Locked<[Int: AnyPromise]>([:]), 60)
    let timers = (0..<count).map { _ in HandRungTimers() }
    let exchange = try exchange(promises: promises, open: gate) { promise in
      if let number = promises.withLock({ $0.first { $0.value === promise }?.key }) { timers[number].ring() }
    }
    let limited = try timers.enumerated().map { number, timers in
      let promise = try exchange.session.promise(for: exchange.request("/\(number)"))
      promises.withLock { $0[number] = promise }
      return promise.timeout(.seconds(1), cancelsSource: true, timers: timers)
    }
    gate.open()
    var expired = 0
    for promise in limited {
      guard let failure = await promise.failure else { continue }
      guard case .timedOut? = failure as? PromiseError else { throw failure }
      expired += 1
    }
    #expect(expired > 0)
    #expect(try await exchange.session.promise(for: exchange.url("/next")).value.0 == Data("no number".utf8))
  }
}
