import Testing

@testable import PromiseHTTP

/// On Linux, Foundation stops the process if a delegate answers too late. So some of these tests fail by crashing.
@Suite("Delegates that are asked about a redirection", .bounded) struct RedirectAnswerTests {
  let delegate = UndecidedDelegate()
  let exchange: Exchange

  init() throws {
    exchange = try Exchange(delegate: delegate) { request in
      switch request.path {
      case "/start": Response(status: 302, headers: [("Location", "/end")], pieces: [.text("elsewhere")])
      case "/silence": .silence
      default: .text("arrived")
      }
    }
  }

  private func begin(_ configure: (inout URLRequest) -> Void = { _ in }) throws -> Promise<(Data, URLResponse)> {
    var request = try exchange.request("/start")
    configure(&request)
    return exchange.session.promise(for: request)
  }

  /// Sends another request, and waits for its response.
  private func roundTrip() async throws {
    #expect(try await exchange.session.promise(for: exchange.url()).value.0 == Data("arrived".utf8))
  }

  @Test("A delegate may answer a redirection later", arguments: [true, false])
  func later(_ follows: Bool) async throws {
    let promise = try begin()
    let question = try await delegate.question.value
    try await roundTrip()
    #expect(promise.isPending)
    question.answer(follows ? question.request : nil)
    let (data, response) = try await promise.value
    #expect(response.status == (follows ? 200 : 302))
    #expect(String(decoding: data, as: UTF8.self) == (follows ? "arrived" : "elsewhere"))
  }

  @Test(
    "A request may be cancelled right before the delegate's answer, which then changes nothing, or right after it",
    .rule("4.1"), arguments: [true, false], [true, false])
  func cancelled(_ follows: Bool, _ isCancelledFirst: Bool) async throws {
    let promise = try begin()
    let question = try await delegate.question.value
    if isCancelledFirst { promise.cancel() }
    question.answer(follows ? question.request : nil)
    if !isCancelledFirst { promise.cancel() }
    try await roundTrip()
    let failure = await promise.awaitedError
    #expect(failure is CancellationError || failure == nil && !isCancelledFirst)
    if isCancelledFirst { #expect(!exchange.asked.contains("GET /end")) }
  }

  #if canImport(FoundationNetworking)
    @Test("Cancelling between a redirection and the next request prevents that request", .rule("4.1"))
    func betweenRequests() async throws {
      let promise = try begin()
      let question = try await delegate.question.value
      // Blocks the queue that handles answers and cancellations, so that it handles both before it continues.
      let gate = Gate()
      let blocked = Deferred<Void>()
      let transfer = RequestTransfer(
        into: ResponseBody(), atMost: 100, reportingSent: false, to: { _, _ in },
        completion: { _ in
          blocked.fulfill()
          gate.wait()
        })
      _ = try SessionProxy.proxy(for: exchange.session).send(
        exchange.request("/other"), uploading: nil, for: exchange.session, as: transfer)
      try await blocked.promise.value
      question.answer(question.request)
      promise.cancel()
      gate.open()
      #expect(await promise.awaitedError is CancellationError)
      try await promise.whenFinished().value
      #expect(exchange.asked == ["GET /start", "GET /other"])
    }
  #endif

  @Test("A delegate may cancel its task before it answers", arguments: [true, false])
  func taskIsCancelled(_ follows: Bool) async throws {
    let promise = try begin()
    let question = try await delegate.question.value
    question.task.cancel()
    if !follows { question.answer(nil) }
    let failure = await promise.awaitedError
    #expect(failure == nil || (failure as? URLError)?.code == .cancelled)
    if follows { question.answer(question.request) }
    try await roundTrip()
    #expect(!exchange.asked.contains("GET /end"))
  }

  @Test("A delegate that cancels its task and then answers inside one call ends the request")
  func cancelsAndAnswers() async throws {
    let delegate = UndecidedDelegate { question in
      question.task.cancel()
      question.answer(question.request)
    }
    let exchange = try Exchange(delegate: delegate) { request in
      request.path == "/start" ? .redirect(to: "/end") : .text("arrived")
    }
    let promise = try exchange.session.promise(for: exchange.request("/start"))
    #expect((await promise.awaitedError as? URLError)?.code == .cancelled)
    #expect(exchange.asked == ["GET /start"])
  }

  @Test("Only the delegate's first answer counts", arguments: [true, false])
  func twice(_ follows: Bool) async throws {
    let delegate = UndecidedDelegate { question in
      for answer in [follows ? question.request : nil, nil, question.request] { question.answer(answer) }
    }
    let exchange = try Exchange(delegate: delegate) { request in
      request.path == "/start" ? .redirect(to: "/end") : .text("arrived")
    }
    let (_, response) = try await exchange.session.promise(for: exchange.request("/start")).value
    #expect(response.status == (follows ? 200 : 302))
    #expect(exchange.asked == ["GET /start"] + (follows ? ["GET /end"] : []))
  }

  @Test("The task that a delegate gets has the caller's request at every redirection")
  func task() async throws {
    let paths = Log<String?>()
    let delegate = UndecidedDelegate { question in
      paths.append(question.task.originalRequest?.url?.path)
      question.answer(question.request)
    }
    let exchange = try Exchange(delegate: delegate) { request in
      request.path.count > 3 ? .text("arrived") : .redirect(to: request.path + "x")
    }
    _ = try await exchange.session.promise(for: exchange.request("/x")).value
    #expect(exchange.asked == ["GET /x", "GET /xx", "GET /xxx"])
    #expect(paths.entries == ["/x", "/x"])
  }

  // This test waits for a second, because the session uses a real clock.
  @Test("A delegate may answer after the idle time has passed", arguments: [true, false])
  func afterIdleTime(_ follows: Bool) async throws {
    var promise = try begin { $0.timeoutInterval = 1 }
    // On a busy machine the request may time out before the redirection arrives.
    while try await isTimedOutUnasked(promise) { promise = try begin { $0.timeoutInterval = 1 } }
    let question = try await delegate.question.value
    // This request begins later, so it times out after the request that waits for the delegate.
    var silence = try exchange.request("/silence")
    silence.timeoutInterval = 1
    #expect((await exchange.session.promise(for: silence).awaitedError as? URLError)?.code == .timedOut)
    #expect(promise.isPending)
    question.answer(follows ? question.request : nil)
    #expect(try await promise.value.1.status == (follows ? 200 : 302))
  }

  /// Returns whether the request is rejected before its delegate is asked.
  private func isTimedOutUnasked(_ promise: Promise<(Data, URLResponse)>) async throws -> Bool {
    _ = try? await Promise<Void>.race([promise.map { _ in }, delegate.question.map { _ in }]).value
    return delegate.question.isPending
  }

  @Test("The delegate also decides about a redirection that requires a credential", arguments: [true, false])
  func afterChallenge(_ follows: Bool) async throws {
    let delegate = AskedDelegate(redirectsTo: follows ? "/end" : nil, answering: .credential)
    let exchange = try Exchange(delegate: delegate) { request in
      if request.path == "/end" { return .text("arrived") }
      return request["Authorization"] == nil ? .challenge() : .redirect(to: "/end")
    }
    let (_, response) = try await exchange.session.promise(for: exchange.request("/start")).value
    #expect(response.status == (follows ? 200 : 302))
    #expect(exchange.asked == ["GET /start", "GET /start"] + (follows ? ["GET /end"] : []))
  }
}

/// As for redirections, some of these tests fail by crashing.
@Suite("Delegates that are asked for a credential", .bounded) struct CredentialAnswerTests {
  let delegate = UndecidedCredentialDelegate()
  let exchange: Exchange

  init() throws {
    exchange = try Exchange(delegate: delegate) { request in
      request["Authorization"] == nil && request.path == "/start" ? .challenge([.text("no")]) : .text("arrived")
    }
  }

  private let credential = URLCredential(user: "ada", password: "pw", persistence: .none)

  @Test("A delegate may answer later, on any thread")
  func later() async throws {
    let promise = exchange.session.promise(for: try exchange.request("/start"))
    let answer = try await delegate.question.value
    answer(.useCredential, credential)
    let (data, response) = try await promise.value
    #expect(response.status == 200)
    #expect(String(decoding: data, as: UTF8.self) == "arrived")
  }

  @Test(
    "A request may be cancelled right before the answer, which then changes nothing, or right after it", .rule("4.1"),
    arguments: [true, false])
  func cancelled(_ isCancelledFirst: Bool) async throws {
    let promise = exchange.session.promise(for: try exchange.request("/start"))
    let answer = try await delegate.question.value
    if isCancelledFirst { promise.cancel() }
    answer(.useCredential, credential)
    if !isCancelledFirst { promise.cancel() }
    #expect(try await exchange.session.promise(for: exchange.url()).value.0 == Data("arrived".utf8))
    let failure = await promise.awaitedError
    #expect(failure is CancellationError || failure == nil && !isCancelledFirst)
  }
}

@Suite("Delegates and the queue of their session", .bounded) struct DelegateQueueTests {
  @Test("A session's delegate is called on the delegate queue of the session, one call at a time, also for streams")
  func queue() async throws {
    let delegate = QueueDelegate()
    let queue = OperationQueue()
    queue.name = "delegate"
    queue.maxConcurrentOperationCount = 1
    let exchange = try Exchange(delegate: delegate, on: queue) { request in
      if request.path == "/start" { return .redirect(to: "/end") }
      return request["Authorization"] == nil ? .challenge() : .text("arrived")
    }
    let url = try exchange.url("/start")
    let streams = (0..<10).map { _ in exchange.session.stream(for: .get(url.absoluteString)) }
    let bodies = (0..<10).map { _ in exchange.session.promise(for: url) }
    for stream in streams { #expect(try await Array(stream.value.lines) == ["arrived"]) }
    for body in bodies { #expect(try await body.value.0 == Data("arrived".utf8)) }
    #expect(delegate.queues.entries == Array(repeating: "delegate", count: 40))
    #expect(delegate.others.entries.allSatisfy { $0 == 0 })
  }
}
