public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import PromiseContexts
import Synchronization

extension HTTPClient {
  /// Sends a request, and returns a promise for the response.
  ///
  /// Progress is the share of the body that has arrived, if the server has announced its length. Cancelling the promise
  /// stops the request and closes its connection. The promise has not finished before the client has ended the request,
  /// so the release of a `using` and a place in a gate wait for it. The promise is rejected with the client's error,
  /// for example `HTTPClientError.connectTimeout`. A status such as 404 is no error.
  ///
  /// - Parameter limit: the size of the body in bytes at which the promise is rejected with `ResponseTooBigError`.
  public func promise(
    for request: Request, maximumBodySize limit: Int = 256 << 20, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Response> {
    let deferred = Deferred<Response>(fileID: fileID, line: line)
    let delegate = ReportingDelegate(ResponseAccumulator(request: request, maxBodySize: limit), reportingTo: deferred)
    let task = execute(request: request, delegate: delegate)
    deferred.onCancelThen(fileID: fileID, line: line) { _ in
      task.cancel()
      let end = Deferred<Void>(fileID: fileID, line: line)
      task.futureResult.whenComplete { _ in end.fulfill() }
      return end.promise
    }
    // If the promise was cancelled, this changes nothing.
    task.futureResult.whenComplete { deferred.settle($0) }
    return deferred.promise
  }
}

/// Passes a response to an accumulator, and reports the share of the body that has arrived.
private final class ReportingDelegate: HTTPClientResponseDelegate {
  typealias Response = HTTPClient.Response

  private let accumulator: ResponseAccumulator
  private let deferred: Deferred<Response>
  /// The bytes that were announced, and those that have arrived.
  private let size = Mutex<(total: Int?, received: Int)>((nil, 0))

  init(_ accumulator: ResponseAccumulator, reportingTo deferred: Deferred<Response>) {
    self.accumulator = accumulator
    self.deferred = deferred
  }

  func didVisitURL(task: HTTPClient.Task<Response>, _ request: HTTPClient.Request, _ head: HTTPResponseHead) {
    accumulator.didVisitURL(task: task, request, head)
  }

  func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
    size.withLock { $0.total = head.headers.first(name: "Content-Length").flatMap { Int($0) } }
    return accumulator.didReceiveHead(task: task, head)
  }

  func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
    let share: Double? = size.withLock { size in
      size.received += part.readableBytes
      return size.total.map { Double(size.received) / Double($0) }
    }
    if let share { deferred.report(progress: share) }
    return accumulator.didReceiveBodyPart(task: task, part)
  }

  func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
    try accumulator.didFinishRequest(task: task)
  }
}
