import Dispatch
import Foundation
import NIOCore
import NIOEmbedded
import NIOPosix
import PromiseCombinators
import PromiseHTTP
import PromiseNIO
import PromiseTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: An echo server and its client

final class Echo: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
}

final class Reply: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let question: String
  let owner = Deferred<String>()

  init(to question: String) { self.question = question }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(NIOAny(ByteBuffer(string: question)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    owner.fulfill(String(buffer: Self.unwrapInboundIn(data)))
    context.close(promise: nil)
  }
}

/// Sends the text, and returns a promise for the text that comes back.
func ask(_ text: String, at address: SocketAddress, on group: any EventLoopGroup) -> Promise<String> {
  let reply = Reply(to: text)
  let connection = ClientBootstrap(group: group)
    .channelInitializer { $0.pipeline.addHandler(reply) }
    .connect(to: address)
  connection.whenFailure { reply.owner.reject($0) }
  reply.owner.onCancelThen { _ in connection.flatMap { $0.close() }.recover { _ in }.promise() }
  return reply.owner.promise
}

@Suite("SwiftNIO", .bounded) struct NIOTests {
  let group = MultiThreadedEventLoopGroup.singleton

  @Test("Handlers run on the event loop, in the order in which they were attached")
  func handlersRunInOrder() async throws {
    let loop = group.next()
    let log = Log<Int>()
    let owner = Deferred<Int>()
    // Each handler has a context object of its own. They are scheduled together, because their identities are equal.
    #expect(EventLoopContext.eventLoop(loop).identity == ObjectIdentifier(loop))
    let handlers = (0..<100).map { index in
      owner.promise.map(on: .eventLoop(loop)) { _ in
        log.append(index)
        return loop.inEventLoop
      }
    }
    owner.fulfill(1)
    let ran = try await Promise.all(handlers).value
    #expect(ran.allSatisfy { $0 })
    #expect(log.entries == Array(0..<100))
  }

  @Test("A handler waits until the loop runs")
  func handlerWaitsForTheLoop() throws {
    let loop = EmbeddedEventLoop()
    let double = Promise.fulfilled(21).map(on: .eventLoop(loop)) { $0 * 2 }
    #expect(double.isPending)
    loop.run()
    #expect(try double.result?.get() == 42)
  }

  @Test("A loop that has shut down rejects the promises of handlers that it drops")
  func closedLoopRejects() async throws {
    let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = own.next()
    try await own.shutdownGracefully()
    let promises = (0..<3).map { index in Promise.fulfilled(index).map(on: .eventLoop(loop)) { $0 } }
    for promise in promises {
      let error = await rejection(of: promise) as? PromiseError
      #expect(error?.code == .contextDropped)
    }
  }

  @Test("A blocking wait on the loop for work of the same loop fails instead of hanging")
  func waitOnItsOwnLoopFails() async throws {
    // A group of its own, because a wait that is not refused blocks the loop.
    let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = own.next()
    let refused = Promise.run(on: .eventLoop(loop)) {
      let needsLoop = Promise.fulfilled(1).map(on: .eventLoop(loop)) { $0 }
      do {
        try needsLoop.waitForValue(within: .seconds(30))
        return false
      } catch {
        if case .wouldBlock? = error as? WaitError { return true }
        return false
      }
    }
    #expect(try await refused.value)
    try await own.shutdownGracefully()
  }

  @Test("A promise settles as its future does")
  func promiseOfFuture() async throws {
    let loop = group.next()
    #expect(try await loop.makeSucceededFuture(1).promise().value == 1)
    let failing: EventLoopFuture<Int> = loop.makeFailedFuture(TestError(2))
    #expect(await rejection(of: failing.promise()) as? TestError == TestError(2))
  }

  @Test("A future completes as its promise does, on its loop")
  func futureOfPromise() async throws {
    let loop = group.next()
    let owner = Deferred<Int>()
    let future = owner.promise.future(on: loop).map { ($0, loop.inEventLoop) }
    owner.fulfill(1)
    #expect(try await future.get() == (1, true))
    let rejected = Promise<Int>.rejected(TestError(2)).future(on: loop)
    await #expect(throws: TestError(2)) { try await rejected.get() }
  }

  @Test("A future is a consumer of its promise, and fails when the promise is cancelled")
  func futureIsConsumer() async throws {
    let loop = group.next()
    let owner = Deferred<Int>()
    let future = owner.promise.future(on: loop)
    owner.promise.map { $0 }.cancel(upstream: true)
    #expect(owner.promise.isPending)
    owner.promise.cancel()
    await #expect(throws: CancellationError.self) { try await future.get() }
  }

  @Test("A cancelled promise calls the closure that stops the work, and ignores what the future does later")
  func cancelledPromiseStopsTheWork() async throws {
    let loop = group.next()
    let source = loop.makePromise(of: Int.self)
    let log = Log<String>()
    let promise = source.futureResult.promise { log.append("stopped") }
    let label = promise.map { "\($0)" }
    label.cancel(upstream: true)
    #expect(log.entries == ["stopped"])
    source.succeed(1)
    #expect(try await source.futureResult.get() == 1)
    #expect(promise.isCancelled)
  }

  @Test(
    "The release of a resource waits until the future of a cancelled use has completed", arguments: [false, true],
    [false, true])
  func releaseWaits(isStopped: Bool, fails: Bool) async {
    let source = group.next().makePromise(of: Int.self)
    let resource = UsedResource()
    let stop: @Sendable () -> Void = { resource.log.append("stopped") }
    let use = resource.use { source.futureResult.promise(onCancel: isStopped ? stop : nil) }
    #expect(resource.cancel(use) == (isStopped ? ["stopped"] : []))
    if fails { source.fail(TestError(1)) } else { source.succeed(1) }
    #expect(await resource.finish(use))
    #expect(resource.log.entries.last == "released")
  }

  @Test("The release of a resource does not wait for a future behind a shield")
  func shieldedFuture() {
    let source = group.next().makePromise(of: Void.self)
    let resource = UsedResource()
    let use = resource.use { source.futureResult.promise().shielded() }
    #expect(resource.cancel(use) == ["released"])
    #expect(use.isFinished)
    source.succeed()
  }

  @Test("A cancelled promise has not finished before a scheduled task that has begun has returned")
  func runningTask() async throws {
    // A group of its own, because the task blocks the loop.
    let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let begun = Deferred<Void>()
    let mayEnd = DispatchSemaphore(value: 0)
    let task = own.next().scheduleTask(in: .zero) {
      begun.fulfill()
      mayEnd.wait()
    }
    let promise = task.promise()
    try await begun.promise.value
    promise.cancel()
    #expect(!promise.isFinished)
    mayEnd.signal()
    try await promise.whenFinished().value
    try await own.shutdownGracefully()
  }

  @Test("A cancelled promise cancels the scheduled task")
  func cancelledPromiseCancelsTask() async throws {
    let task = group.next().scheduleTask(in: .hours(1)) { 1 }
    task.promise().cancel()
    await #expect(throws: EventLoopError.cancelled) { try await task.futureResult.promise().value }
  }

  @Test("An echo server answers its client")
  func echo() async throws {
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { $0.pipeline.addHandler(Echo()) }
      .bind(host: "127.0.0.1", port: 0).promise().value
    let address = try #require(server.localAddress)
    let replies = Promise.all((0..<20).map { ask("Hello \($0)", at: address, on: group) })
    #expect(try await replies.value == (0..<20).map { "Hello \($0)" })
    try await server.close()
  }

  @Test("A client whose server closes the connection is rejected instead of hanging")
  func serverThatCloses() async throws {
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { $0.close() }
      .bind(host: "127.0.0.1", port: 0).promise().value
    let address = try #require(server.localAddress)
    let failed = await rejection(of: ask("Hello", at: address, on: group)) as? PromiseError
    #expect(failed?.code == .broken)
    try await server.close()
  }

  @Test("A client that is cancelled closes its connection, and has not finished before")
  func cancelledClientCloses() async throws {
    let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let accepted = Deferred<any Channel>()
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        accepted.fulfill(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).promise().value
    let reply = ask("Hello", at: try #require(server.localAddress), on: own)
    let connection = try await accepted.promise.value
    let mayClose = DispatchSemaphore(value: 0)
    own.next().execute { mayClose.wait() }
    reply.cancel(upstream: true)
    #expect(!reply.isFinished)
    mayClose.signal()
    try await reply.whenFinished().value
    // A promise, because a Task that waits for a future cannot be cancelled when the test exceeds its time limit.
    try await connection.closeFuture.promise().value
    try await server.close()
    try await own.shutdownGracefully()
  }

  @Test("A server of SwiftNIO answers the requests of URLSession")
  func serverAnswersURLSession() async throws {
    let server = try await HTTPServer.start { .text("You asked for \($0)") }
    let session = URLSession(configuration: .ephemeral)
    let pages = (0..<10).map { session.promise(for: .get("\(server.address)/\($0)")).map(\.text) }
    #expect(try await Promise.all(pages).value == (0..<10).map { "You asked for /\($0)" })
    session.invalidateAndCancel()
    try await server.stop()
  }
}
