import NIOCore
import NIOHTTP1
import NIOPosix
import PromiseCombinators
import PromiseNIO

/// An answer of `HTTPServer`. Each part of the body is sent when its promise is fulfilled.
struct Answer {
  var status = HTTPResponseStatus.ok
  var length: Int?
  var parts: [Promise<String>]

  static func text(_ text: String) -> Answer { Answer(length: text.utf8.count, parts: [.fulfilled(text)]) }
}

/// An HTTP server of SwiftNIO on loopback, whose answers are promises.
final class HTTPServer: Sendable {
  private let channel: any Channel
  /// Is fulfilled when the connection of the first request is closed.
  let closed: Promise<Void>

  private init(_ channel: any Channel, closed: Promise<Void>) {
    self.channel = channel
    self.closed = closed
    // Of no interest to a test whose connections stay open.
    closed.onRejected { _ in }
  }

  /// - Parameter answer: returns the answer for a path.
  static func start(_ answer: @escaping @Sendable (String) -> Answer) async throws -> HTTPServer {
    let closed = Deferred<Void>()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.closeFuture.whenComplete { _ in if closed.promise.isPending { closed.fulfill() } }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Answering(answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).promise().value
    return HTTPServer(channel, closed: closed.promise)
  }

  var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  func stop() async throws { try await channel.close().promise().value }
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let answer: @Sendable (String) -> Answer
  private var path = ""

  init(_ answer: @escaping @Sendable (String) -> Answer) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head): path = head.uri
    case .body: break
    case .end:
      let (answer, channel) = (answer(path), context.channel)
      var head = HTTPResponseHead(version: .http1_1, status: answer.status)
      if let length = answer.length { head.headers.add(name: "Content-Length", value: "\(length)") }
      channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
      let sent = Promise.forEach(answer.parts, on: .eventLoop(channel.eventLoop)) { part in
        part.then(on: .eventLoop(channel.eventLoop)) { text in
          channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text)))).promise()
        }
      }
      sent.onSettled(on: .eventLoop(channel.eventLoop)) { _ in
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
      }
    }
  }
}
