import Dispatch
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import NIOPosix
import PromiseCombinators
import PromiseGates
import PromiseNIO
import PromiseRecording
import PromiseTesting
import PromiseTracing
import ServiceContextModule
import Testing
import Tracing

private enum RequestKey: ServiceContextKey { typealias Value = String }

/// The request on whose behalf the calling code runs.
private var request: String? { ServiceContext.current?[RequestKey.self] }

/// Runs the closure on behalf of a request.
private func serving<Result>(_ request: String?, _ body: () throws -> Result) rethrows -> Result {
  var context = ServiceContext.topLevel
  context[RequestKey.self] = request
  return try ServiceContext.withValue(request == nil ? nil : context, operation: body)
}

private actor Screen {}

/// The tracer of the process, which may be set once.
private let tracer: InMemoryTracer = {
  let tracer = InMemoryTracer()
  InstrumentationSystem.bootstrap(tracer)
  return tracer
}()

@Suite("Tracing, logging and metrics", .bounded) struct TracingTests {
  init() {
    _ = tracer
    Diagnostics.carryServiceContext()
  }

  @Test("The service context of the attaching code reaches the handler on every context")
  func everyContext() async throws {
    let queue = DispatchQueue(label: "tracing")
    let owner = Deferred<Void>()
    let source = owner.promise
    let handlers = serving("A") {
      [
        source.map { request }, source.map(on: .queue(queue)) { request }, source.map(on: .global) { request },
        source.map(on: .task) { request }, source.map(on: .main) { request },
        source.map(isolatedTo: Screen()) { _, _ in request }, source.asyncMap { request },
        source.map(on: .eventLoop(MultiThreadedEventLoopGroup.singleton.next())) { request },
      ]
    }
    // The thread that settles the promise serves another request.
    serving("B") { _ = owner.fulfill() }
    #expect(try await Promise.all(handlers).value == Array(repeating: "A", count: handlers.count))
  }

  @Test("Retries, timers and recoveries see the context of their client")
  func retriesAndTimers() throws {
    try TestWorld.run { world in
      let seen = Log<String?>()
      let result = serving("A") {
        Promise<Int>.retry(attempts: 3, backoff: .constant(.seconds(1))) {
          seen.append(request)
          return .rejected(TestError())
        }
        .delay(.seconds(1))
        .recover { _ in
          seen.append(request)
          return 1
        }
      }
      try serving("B") { _ = try world.run(until: result) }
      #expect(seen.entries == ["A", "A", "A", "A"])
    }
  }

  @Test("Guests of one gate see the context of their own client, and a client without a context gets none")
  func gates() async throws {
    let limit = ConcurrencyLimit(2)
    let gate = SerialGate()
    let clients = (0..<300).map { index in
      let name = index % 3 == 0 ? nil : "\(index)"
      let seen: Promise<[String?]> = serving(name) {
        let elements = Promise.traverse([1, 2], concurrency: 2) { _ in limit.run { .fulfilled(request) } }
        return Promise.all([
          limit.run { .fulfilled(request) }, gate.asyncRun { request }, gate.run { .fulfilled(request) },
        ])
        .then { guests in elements.map { guests + $0 } }
      }
      return seen.map { $0 == [name, name, name, name, name] }
    }
    #expect(try await Promise.all(clients).value.allSatisfy { $0 })
  }

  /// The finished spans of that name. Other tests use the same tracer.
  private func finished(_ name: String) -> [FinishedInMemorySpan] {
    tracer.finishedSpans.filter { $0.operationName == name }
  }

  @Test("A span ends when its promise is settled, and contains the spans that the chain begins")
  func spanOfAValue() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let result = withSpan("load") { owner.promise.then { value in withSpan("decode") { .fulfilled(value + 1) } } }
      world.runUntilIdle()
      #expect(finished("load").isEmpty)
      owner.fulfill(1)
      #expect(try world.run(until: result) == 2)
      world.runUntilIdle()
      let (outer, inner) = (try #require(finished("load").first), try #require(finished("decode").first))
      #expect(inner.parentSpanID == outer.spanID)
      #expect(outer.errors.isEmpty && outer.status == nil)
      #expect(outer.attributes["promise.cancelled"] == nil)
    }
  }

  @Test("The error of a rejected promise is recorded in its span")
  func spanOfAnError() throws {
    try TestWorld.run { world in
      let result = withSpan("failing") { Promise<Int>.rejected(TestError(5)) }.recover { _ in 0 }
      _ = try world.run(until: result)
      world.runUntilIdle()
      let span = try #require(finished("failing").first)
      #expect(span.errors.map { $0.error as? TestError } == [TestError(5)])
      #expect(span.status?.code == .error)
    }
  }

  @Test("An error that the closure of a span throws is recorded in the span")
  func spanOfAThrownError() throws {
    try TestWorld.run { world in
      let result = withSpan("throwing") { () -> Promise<Int> in throw TestError(11) }
      #expect(throws: TestError(11)) { try world.run(until: result) }
      world.runUntilIdle()
      let span = try #require(finished("throwing").first)
      #expect(span.errors.map { $0.error as? TestError } == [TestError(11)])
    }
  }

  @Test("A span is no consumer of its promise, and a cancellation is an attribute of the span")
  func spanOfACancellation() throws {
    try TestWorld.run { world in
      let log = Log<String>()
      let owner = Deferred<Int>()
      owner.onCancel { _ in log.append("stopped") }
      let label = withSpan("cancelled") { owner.promise }.map { "\($0)" }
      label.cancel(reason: TestError(6), upstream: true)
      #expect(log.entries == ["stopped"])
      world.runUntilIdle()
      let span = try #require(finished("cancelled").first)
      #expect(span.attributes["promise.cancelled"]?.toSpanAttribute() == true)
      #expect(span.errors.isEmpty && span.status == nil)
    }
  }

  @Test("A span whose work another client cancels has the attribute, too")
  func spanOfCancelledWork() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let result = withSpan("cancelled elsewhere") { owner.promise }
      owner.promise.cancel(reason: TestError(7))
      world.runUntilIdle()
      #expect(result.isCancelled)
      let span = try #require(finished("cancelled elsewhere").first)
      #expect(span.attributes["promise.cancelled"]?.toSpanAttribute() == true)
      #expect(span.errors.isEmpty)
    }
  }

  @Test("A log message of a handler has the metadata of its request")
  func logMetadata() async throws {
    let handler = InMemoryLogHandler()
    let provider = Logger.MetadataProvider { request.map { ["request": "\($0)"] } ?? [:] }
    var logger = Logger(label: "test", factory: { _ in handler })
    logger.handler.metadataProvider = provider
    let log = logger
    try await serving("A") { Promise.fulfilled(1).map { log.info("number \($0)") } }.value
    #expect(handler.entries.map(\.metadata) == [["request": "A"]])
  }

  @Test("Unhandled rejections go to a logger")
  func unhandledRejections() throws {
    let handler = InMemoryLogHandler()
    Diagnostics.logUnhandledRejections(to: Logger(label: "test", factory: { _ in handler }))
    defer { Diagnostics.onUnhandledRejection(nil) }
    _ = Promise<Int>.rejected(TestError(8))
    let entry = try #require(handler.entries.first { $0.error as? TestError == TestError(8) })
    #expect(entry.level == .error)
    #expect(entry.metadata["promise"].map { "\($0)" }?.contains("TracingTests.swift") == true)
  }

  @Test("A meter counts the pending promises")
  func pendingPromises() throws {
    let metrics = TestMetrics()
    let meter = Meter(label: "promises.pending", factory: metrics)
    Diagnostics.recordsPendingPromises = true
    defer { Diagnostics.recordsPendingPromises = false }
    let owners = (0..<10_000).map { _ in Deferred<Int>() }
    Diagnostics.measurePendingPromises(with: meter)
    let before = try #require(metrics.expectMeter(meter).lastValue)
    for owner in owners { owner.fulfill(1) }
    Diagnostics.measurePendingPromises(with: meter)
    let after = try #require(metrics.expectMeter(meter).lastValue)
    // Other tests make promises at the same time, but not thousands.
    #expect(before >= 10_000 && after < 5_000)
  }
}
