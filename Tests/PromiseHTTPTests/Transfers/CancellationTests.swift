import PromiseHTTP
import Testing

@Suite("Cancelled requests", .bounded) struct TransferCancellationTests {
  /// The progress of the response when the request is cancelled.
  enum Stage: String, CaseIterable, Sendable {
    case beforeHead, beforeBody, insideBody, insideChunked

    /// Returns a response that stops at this stage.
    func stopped() -> UnfinishedResponse {
      switch self {
      case .beforeHead: UnfinishedResponse()
      case .beforeBody: UnfinishedResponse(framing: .length(100))
      case .insideBody: UnfinishedResponse([.bytes(pattern(50))], framing: .length(100))
      case .insideChunked: UnfinishedResponse([.bytes(pattern(50))], framing: .chunked)
      }
    }
  }

  @Test(
    "Cancelling ends the connection at every stage, and the session's error for it is not reported",
    .rule("1.3", "2.11", "4.1"), arguments: Transfer.allCases, Stage.allCases)
  func connection(_ transfer: Transfer, _ stage: Stage) async throws {
    let reports = Log<SecondSettlement>()
    let unhandled = Log<UnhandledRejection>()
    let stopped = stage.stopped()
    let exchange = try Exchange { $0.target == "/next" ? .text("next") : stopped.response }
    let begun = try Diagnostics.scoped(
      unhandledRejection: unhandled.append, secondSettlement: reports.append
    ) { try exchange.begin(transfer) }
    let caught = Log<any Error>()
    let end = begun.response.catch(on: .pool, caught.append)
    try await stopped.sent.value
    #expect(begun.promise.isPending)
    begun.promise.cancel()
    #expect(begun.promise.isCancelled)
    #expect(begun.response.isCancelled)
    try await stopped.left.value
    // The session reports the end of the request.
    try await begun.promise.whenFinished().value
    #expect(await end.awaitedError is CancellationError)
    #expect(end.isCancelled)
    #expect(caught.entries.count == 1)
    #expect(caught.entries.first is CancellationError)
    // The session finishes this request after it has ended the cancelled request.
    _ = try await exchange.session.promise(for: exchange.request("/next")).value
    #expect(reports.entries.isEmpty)
    #expect(unhandled.entries.isEmpty)
  }

  @Test("A request may be cancelled at once, and its session still works", .rule("4.1"), arguments: Transfer.allCases)
  func atOnce(_ transfer: Transfer) async throws {
    let exchange = try Exchange { $0.target == "/next" ? .text("next") : .silence }
    for _ in 0..<40 {
      let begun = try exchange.begin(transfer)
      begun.promise.cancel()
      #expect(await begun.response.awaitedError is CancellationError)
    }
    #expect(try await exchange.session.promise(for: exchange.request("/next")).value.0 == Data("next".utf8))
    try await exchange.folder.waitUntilNothingIsWritten()
  }

  @Test("An upload that is cancelled while its body is sent is rejected", .rule("4.1"))
  func whileSending() async throws {
    // The server reads the request and never answers.
    let exchange = try Exchange { _ in .silence }
    let request = try exchange.request(method: "POST")
    let promise = exchange.session.promise(for: request, uploading: Data(count: 60_000_000))
    _ = try await ProgressLog(of: promise).first.value
    promise.cancel()
    #expect(promise.isCancelled)
    #expect(await promise.awaitedError is CancellationError)
  }

  /// On Linux, Foundation hangs if a Task that waits for a request is cancelled while the request ends.
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
      if await begun.response.awaitedError is CancellationError {
        endings.cancelled += 1
      } else {
        endings.fulfilled += 1
      }
    }
    #expect(endings.fulfilled >= 40)
    #expect(endings.cancelled + endings.fulfilled == 80)
    try await exchange.folder.waitUntilNothingIsWritten()
  }
}

/// On Linux, Foundation stops the process if a task is cancelled between a redirection and the answer of its delegate.
/// So this test fails by crashing.
@Suite("Requests that are cancelled while they are redirected", .bounded) struct RedirectCancelTests {
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
  private func exchange(promises: Locked<[Int: AnyPromise]>, open gate: Gate) throws -> Exchange {
    try Exchange(connections: 20) { request in
      let parts = request.path.split(separator: "/")
      guard let number = Int(parts[0]), let moment = Moment(rawValue: number % Moment.allCases.count) else {
        return .text("no number")
      }
      gate.wait()
      @Sendable func cancelNow() { promises.withLock { $0[number] }?.cancel() }
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
      let exchange = try exchange(promises: promises, open: gate)
      let begun = try (0..<20).map { number in
        let begun = try exchange.begin(transfer, "/\(number)")
        promises.withLock { $0[number] = begun.promise }
        return begun
      }
      gate.open()
      for request in begun {
        let failure = await request.response.awaitedError
        #expect(failure == nil || failure is CancellationError)
        if failure == nil { endings.fulfilled += 1 } else { endings.cancelled += 1 }
      }
      #expect(try await exchange.session.promise(for: exchange.url("/next")).value.0 == Data("no number".utf8))
      try await exchange.folder.waitUntilNothingIsWritten()
    }
    #expect(endings.cancelled + endings.fulfilled == 500)
    #expect(endings.cancelled > 0)
  }
}
