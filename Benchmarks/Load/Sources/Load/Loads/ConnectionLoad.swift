import NIOCore
import NIOPosix
import PromiseCombinators
import PromiseNIO

/// Connections of SwiftNIO to a server of SwiftNIO in the same process. The client sends a line, reads it back, and
/// closes the connection.
final class ConnectionLoad: Load {
  let name = "connections"
  let tally = Tally()
  let rate: Double

  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let server: any Channel

  init(_ surroundings: Surroundings) throws {
    rate = 10 * surroundings.scale
    server = try ServerBootstrap(group: group)
      .childChannelInitializer { channel in channel.pipeline.addHandler(EchoHandler()) }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  func proceed(_ count: Int) {
    for _ in 0..<count { connect(tally.counts.begun) }
  }

  private func connect(_ number: Int) {
    let start = tally.begin()
    guard let address = server.localAddress else { return tally.end(since: start, failure: "no address") }
    let text = "line \(number)"
    let answer = Deferred<String>()
    // If the load is stopped before the line is sent, no client waits for the answer.
    answer.promise.onRejected { _ in }
    let connection = ClientBootstrap(group: group)
      .channelInitializer { channel in channel.pipeline.addHandler(LineReader(length: text.utf8.count, answer)) }
      .connect(to: address).promise()
    let channel = Resource {
      connection
    } release: { channel in
      channel.close().promise().recover { _ in }
    }
    let echo = Promise.using(channel) { channel in
      channel.writeAndFlush(ByteBuffer(string: text)).promise().then { answer.promise }
    }
    tally.observe(echo, since: start) { (try? $0.get()) == text }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return tally.bag.whenFinished().then { [group, server] _ in
      server.close().promise().recover { _ in }.then {
        Promise { deferred in
          group.shutdownGracefully { deferred.resolve($0) }
        }
      }
    }
  }
}

private final class EchoHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(data, promise: nil)
  }
}

/// Settles its owner with the first bytes that arrive, or with an error if the connection ends before that.
///
/// `@unchecked Sendable`, because the pipeline calls it on its event loop only.
private final class LineReader: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  private let length: Int
  private let answer: Deferred<String>
  private var text = ""

  init(length: Int, _ answer: Deferred<String>) {
    self.length = length
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    if text.utf8.count >= length, answer.promise.isPending { answer.fulfill(text) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if answer.promise.isPending { answer.reject(ChannelError.eof) }
  }
}
