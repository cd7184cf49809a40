import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

/// On Linux, Foundation hangs if a Task that waits for a request is cancelled while the request ends.
@Suite("Requests that are cancelled as they end", .bounded)
struct CancelRaceTests {
  @Test(
    "Cancelling as the last bytes of a response are sent settles the request and leaves no partial file", .rule("4.1"),
    arguments: Transfer.allCases)
  func lastBytes(_ transfer: Transfer) async throws {
    let promises = Locked<[String: AnyPromise]>([:])
    let exchange = try Exchange { request in
      let cancel: @Sendable () -> Void = { promises.withLock { $0[request.target] }?.cancel() }
      // Half of the requests are cancelled again at the end, because the response may have been received by then.
      return Response(pieces: [.bytes(pattern(5_000)), .call(cancel), .bytes(pattern(5_000)), .call(cancel)])
    }
    var endings = (cancelled: 0, fulfilled: 0)
    for round in 0..<80 {
      let begun = try exchange.begin(transfer, "/\(round)")
      if round % 2 == 0 { promises.withLock { $0["/\(round)"] = begun.promise } }
      if await begun.response.failure is CancellationError { endings.cancelled += 1 } else { endings.fulfilled += 1 }
    }
    #expect(endings.fulfilled >= 40)
    #expect(endings.cancelled + endings.fulfilled == 80)
    try await exchange.folder.waitUntilNothingIsWritten()
  }

  @Test(
    "Cancelling at the first progress settles the request and leaves no partial file", .rule("4.1"),
    arguments: [Transfer.data, .download])
  func firstProgress(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .bytes(pattern(300_000)) }
    for _ in 0..<30 {
      let begun = try exchange.begin(transfer)
      begun.response.onProgress(on: .pool) { _ in begun.promise.cancel() }
      _ = await begun.response.failure
    }
    try await exchange.folder.waitUntilNothingIsWritten()
  }
}
