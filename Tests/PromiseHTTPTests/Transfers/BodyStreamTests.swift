import PromiseTesting
import Testing

@testable import PromiseHTTP

@Suite("Bodies between a session and a consumer", .bounded) struct BodyStreamTests {
  private let head = Deferred<HTTPStream>()
  private let end = Deferred<Void>()
  private let body: BodyStream
  /// Whether the session was paused or resumed, in order.
  private let pauses = Log<Bool>()
  private let timers = HandRungTimers()

  init() throws {
    body = BodyStream(head: head, end: end, idleLimit: nil, timers: timers)
    body.onPause(pauses.append)
    body.begin(with: try response())
  }

  private func appendUntilPaused() { for _ in 0..<4 { body.append(Data(count: BodyStream.capacity / 4)) } }

  @Test("The session is paused when the capacity waits, and goes on when half of it was taken")
  func pace() async throws {
    appendUntilPaused()
    #expect(pauses.entries == [true])
    _ = try await body.next()
    #expect(pauses.entries == [true])
    _ = try await body.next()
    #expect(pauses.entries == [true])
    _ = try await body.next()
    #expect(pauses.entries == [true, false])
    body.finish(with: .success(()))
    #expect(try await body.next()?.count == BodyStream.capacity / 4)
    #expect(try await body.next() == nil)
    #expect(end.promise.isFulfilled)
  }

  @Test("A session that has ended the request is not paused any more, and its bytes remain")
  func finishedWhilePaused() async throws {
    appendUntilPaused()
    body.finish(with: .success(()))
    // The session may still be cancelling the request, and would read the whole body if it went on.
    #expect(pauses.entries == [true])
    body.requestHasEnded()
    #expect(pauses.entries == [true, false])
    var count = 0
    while let piece = try await body.next() { count += piece.count }
    #expect(count == BodyStream.capacity)
    #expect(end.promise.isFulfilled)
  }

  @Test("A paused session whose body has ended stays paused until it has ended the request, also if bytes are taken")
  func endedWhilePaused() async throws {
    appendUntilPaused()
    body.finish(with: .failure(TestError(1)))
    for _ in 0..<4 { _ = try await body.next() }
    #expect(pauses.entries == [true])
    body.requestHasEnded()
    #expect(pauses.entries == [true, false])
    await #expect(throws: TestError(1)) { try await body.next() }
  }

  @Test("A cancellation discards what waits, and a paused session stays paused until it has ended the request")
  func cancelled() async throws {
    appendUntilPaused()
    end.promise.cancel(reason: TestError(1))
    await #expect(throws: TestError(1)) { try await body.next() }
    #expect(pauses.entries == [true])
    body.append(Data([1]))
    await #expect(throws: TestError(1)) { try await body.next() }
    body.finish(with: .failure(TestError(2)))
    #expect(pauses.entries == [true])
    body.requestHasEnded()
    #expect(pauses.entries == [true, false])
    await #expect(throws: TestError(1)) { try await body.next() }
    #expect(end.promise.isCancelled)
  }

  @Test("An error that a consumer has got is not reported", .rule("7.1"))
  func handled() async throws {
    let unhandled = Log<UnhandledRejection>()
    try await Diagnostics.scoped(unhandledRejection: unhandled.append) {
      let head = Deferred<HTTPStream>()
      let body = BodyStream(head: head, end: Deferred(), idleLimit: nil, timers: timers)
      body.begin(with: try response())
      body.finish(with: .failure(TestError(1)))
      await #expect(throws: TestError(1)) { try await body.next() }
      withExtendedLifetime(head) {}
    }
    #expect(unhandled.entries.isEmpty)
  }

  @Test("A consumer that waits receives the reason of a cancellation", .rule("4.1"))
  func waiting() async throws {
    let consumer = Task { try await body.next() }
    // By now, the Task usually waits.
    for _ in 0..<100 { await Task.yield() }
    end.promise.cancel(reason: TestError(1))
    await #expect(throws: TestError(1)) { try await consumer.value }
  }

  /// Whether the current code runs inside a call that cancels a Task.
  @TaskLocal private static var isCancelling = false

  @Test("Hooks after a cancelled Task of the consumer do not run inside the call that cancels it", .rule("4.5", "4.7"))
  func hooksOfTask() async throws {
    let hooks = Log<Bool>()
    end.onCancel { _ in hooks.append(Self.isCancelling) }
    let consumer = Task { try await body.next() }
    // By now, the Task usually waits.
    for _ in 0..<100 { await Task.yield() }
    Self.$isCancelling.withValue(true) { consumer.cancel() }
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(end.promise.isCancelled)
    try await end.promise.whenFinished().value
    #expect(hooks.entries == [false])
  }

  @Test("A consumer whose Task is cancelled gets neither the pieces that wait nor the end", .rule("4.7"))
  func cancelledTask() async throws {
    body.append(Data([1]))
    body.finish(with: .success(()))
    let consumer = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await body.next()
    }
    consumer.cancel()
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(end.promise.isCancelled)
    await #expect(throws: CancellationError.self) { try await body.next() }
  }

  @Test("A consumer whose Task was cancelled gets no piece while the pool has no thread to cancel for it", .rule("4.7"))
  func cancelledBeforePool() async throws {
    let world = TestWorld()
    let end = Deferred<Void>()
    let body = world.run { BodyStream(head: head, end: end, idleLimit: nil, timers: timers) }
    body.append(Data([1]))
    let consumer = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await body.next()
    }
    consumer.cancel()
    // By now, the Task usually waits.
    for _ in 0..<100 { await Task.yield() }
    while end.promise.isPending {
      world.runUntilIdle()
      await Task.yield()
    }
    await #expect(throws: CancellationError.self) { try await consumer.value }
  }

  @Test("A Task outside a test world leaves, even if code inside one cancels it", .rule("4.7"))
  func cancelledInWorld() async throws {
    let world = TestWorld()
    let consumer = Task { try await body.next() }
    // By now, the Task usually waits.
    for _ in 0..<100 { await Task.yield() }
    world.run { consumer.cancel() }
    try world.verify()
    await #expect(throws: CancellationError.self) { try await consumer.value }
    #expect(end.promise.isCancelled)
    try world.verify()
  }

  @Test("A cancelled Task does not change the end of a body that the consumer has got", .rule("4.1"))
  func cancelledAfterEnd() async throws {
    body.finish(with: .success(()))
    #expect(try await body.next() == nil)
    let consumer = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await body.next()
    }
    consumer.cancel()
    #expect(try await consumer.value == nil)
    #expect(end.promise.isFulfilled)
  }

  #if canImport(FoundationNetworking)
    @Test("Pieces that wait in the queue of a session count when the session is paused")
    func queue() {
      let queue = PacedQueue(for: body)
      queue.isSuspended = true
      // A piece has at most 16 KiB.
      for _ in 0..<BodyStream.capacity >> 14 {
        #expect(pauses.entries.isEmpty)
        queue.addOperation {}
      }
      #expect(pauses.entries == [true])
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      #expect(pauses.entries == [true, false])
    }

    @Test("A server exceeds the idle time once if it is silent for the whole time, which begins anew with all it sends")
    func idleTime() {
      let expiries = startIdleTimer()
      for _ in 0..<3 {
        #expect(expiries(9) == 0)
        body.restartIdleTimer()
      }
      #expect(expiries(9) == 0)
      #expect(expiries(1) == 1)
      #expect(expiries(100) == 1)
    }

    @Test("The idle time does not pass while the consumer is slower than the server, or after the request has ended")
    func noIdleTime() async throws {
      let expiries = startIdleTimer()
      #expect(expiries(9) == 0)
      body.append(Data(count: BodyStream.capacity))
      for _ in 0..<3 { #expect(expiries(100) == 0) }
      _ = try await body.next()
      #expect(expiries(9) == 0)
      #expect(expiries(1) == 1)
      let others = startIdleTimer()
      body.stopIdleTimer()
      #expect(others(100) == 0)
    }

    /// Starts an idle timer of 10 seconds.
    ///
    /// - Returns: a function that moves the time by some seconds, and returns how often the limit has passed by then.
    private func startIdleTimer() -> (_ seconds: Int) -> Int {
      let expiries = Log<Void>()
      body.startIdleTimer(limit: 10) { expiries.append(()) }
      return { seconds in
        timers.advance(by: .seconds(seconds))
        return expiries.entries.count
      }
    }
  #endif

  @Test("A promise that no client has asked for yet is settled if it is pending, and not cancelled", .rule("4.0"))
  func unobserved() {
    let fulfilled = Deferred<Int>(cancelsWithoutClients: true)
    fulfilled.settleIfPending { 1 }
    #expect(fulfilled.promise.state.value == 1)
    let rejected = Deferred<Int>(cancelsWithoutClients: true)
    rejected.rejectIfPending(with: TestError(1))
    #expect(rejected.promise.failure == .test(1))
  }
}

@Suite("Temporary files") struct TemporaryFileTests {
  @Test("A temporary file is readable by its owner only, and is removed when its object is deallocated")
  func removed() throws {
    var file: TemporaryFile? = try TemporaryFile { try $0.write(contentsOf: Data([1, 2])) }
    let url = try #require(file?.url)
    #expect(try Data(contentsOf: url) == Data([1, 2]))
    let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    file = nil
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  #if os(Linux)
    @Test("If a file cannot be closed, its descriptor is not closed again, because another file may have it")
    func closedOnce() async {
      // This test runs in a process of its own, so no other code opens a file that could get this number.
      await #expect(processExitsWith: .success) {
        let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        let descriptor: CInt = 500
        #expect(dup2(null, descriptor) == descriptor)
        var file: OpenFile? = OpenFile(descriptor, of: URL(fileURLWithPath: "/dev/null"))
        // As the system does if it reports lost bytes: the call fails, and the descriptor is free.
        #expect(close(descriptor) == 0)
        #expect(throws: CocoaError.self) { try file?.close() }
        #expect(dup2(null, descriptor) == descriptor)
        file = nil
        #expect(fcntl(descriptor, F_GETFD) >= 0)
      }
    }
  #endif

  @Test("If the chunks of a temporary file fail, the file is removed")
  func failed() async {
    // This test runs in a process of its own, because it replaces the folder for temporary files.
    await #expect(processExitsWith: .success) {
      let folder = try Folder()
      unsafe setenv("TMPDIR", folder.url.path, 1)
      let chunks = { (error: TestError?) in
        AsyncThrowingStream<Data, any Error> { chunks in
          chunks.yield(Data([1]))
          chunks.finish(throwing: error)
        }
      }
      let file = try await TemporaryFile(of: chunks(nil))
      #expect(try folder.names == [file.url.lastPathComponent])
      await #expect(throws: TestError(1)) { try await TemporaryFile(of: chunks(TestError(1))) }
      #expect(try folder.names == [file.url.lastPathComponent])
      withExtendedLifetime(file) {}
    }
  }
}
