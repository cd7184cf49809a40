import Foundation
import PromiseContexts

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transfer of one request. It gathers the response, limits the size of its body, and reports the progress.
///
/// `@unchecked Sendable`, because the variables are accessed only by callbacks of the session, which run one at a time.
final class RequestTransfer: @unchecked Sendable {
  private let reportsSent: Bool
  private let report: @Sendable (_ part: Int64, _ whole: Int64) -> Void
  private let completion: @Sendable (Result<(ResponseContents, URLResponse), any Error>) -> Void
  private var body: ResponseBody
  private var limit: Int
  /// The body of the request, if it is a temporary file. Set before the request has a task.
  var file: TemporaryFile?
  #if canImport(FoundationNetworking)
    /// The task that stands for the request in the client's session (``SessionProxy``), if the body is written to a
    /// file first, with a promise for its end. It ends early if the session cancels it. Set before the request has a
    /// task.
    var placeholder: (task: URLSessionTask, ended: Promise<Void>)?
  #endif
  /// The consumer of the body, if the body is streamed.
  let stream: BodyStream?
  /// Returns the limit for the body of a response, if the response determines it. If there is a consumer, only a body
  /// with such a limit goes to it.
  private let begin: (URLResponse) -> Int?
  /// The error with which the library itself has stopped the transfer. After it, no more of the body is written.
  private var failure: (any Error)?
  private var isCompleted = false
  /// Fulfilled when the session has reported the end of the request, or no request is sent.
  let ended = Deferred<Void>()
  /// Is called before the transfer is completed although its request still runs.
  var willOutlastPromise: () -> Void = {}
  /// The response with which the transfer ends although its task is cancelled: that of a server that asked for a
  /// credential and gets none, or a redirection that is not followed.
  private var finalResponse: URLResponse?

  /// - Parameters:
  ///   - body: gathers the body of the response.
  ///   - limit: the greatest number of bytes that the body may have, after decompression.
  ///   - begin: is called for each response, before its body. It returns the limit for that body, or `nil` to keep the
  ///     limit.
  ///   - sent: whether the progress is that of the request's body, and not that of the response's.
  ///   - report: receives the number of bytes that were transferred and the expected number, which is zero or less if
  ///     it is unknown.
  ///   - completion: receives the response. A file that it contains is removed when the closure returns.
  init(
    into body: ResponseBody, atMost limit: Int,
    beginning begin: @escaping @Sendable (URLResponse) -> Int? = { _ in nil },
    reportingSent sent: Bool, to report: @escaping @Sendable (Int64, Int64) -> Void,
    completion: @escaping @Sendable (Result<(ResponseContents, URLResponse), any Error>) -> Void
  ) {
    self.body = body
    self.limit = limit
    self.reportsSent = sent
    self.report = report
    self.completion = completion
    stream = nil
    self.begin = begin
    // No client sees it.
    ended.promise.markHandledInAdvance()
  }

  /// Creates a transfer that passes the body on to a consumer, or gathers it in memory.
  ///
  /// - Parameters:
  ///   - stream: receives the body of a response for which `begin` returns a limit.
  ///   - limit: the greatest number of bytes that any other body may have.
  ///   - begin: is called for each response, before its body.
  ///   - completion: receives the response. Its contents are empty if the body was passed on.
  init(
    to stream: BodyStream, orInMemoryAtMost limit: Int, beginning begin: @escaping @Sendable (URLResponse) -> Int?,
    completion: @escaping @Sendable (Result<(ResponseContents, URLResponse), any Error>) -> Void
  ) {
    body = ResponseBody()
    self.limit = limit
    reportsSent = false
    report = { [end = stream.end] in end.report($0, of: $1) }
    self.completion = completion
    self.stream = stream
    self.begin = begin
    ended.promise.markHandledInAdvance()
  }

  /// Lets a promise that the transfer rejects while its request still runs not finish before that has ended (rule 2.11).
  /// Call it before the request is sent.
  func settles<Value>(_ deferred: Deferred<Value>) {
    willOutlastPromise = { [ended] in deferred.ownedPromise.staysUnfinished(until: ended.promise) }
  }

  /// Stops the request when a promise is cancelled, which has not finished before the request has ended.
  func isAwaited<Value>(by deferred: Deferred<Value>, cancellingWith cancel: @escaping @Sendable () -> Void) {
    deferred.addAwaitedCancelHook(at: deferred.ownedPromise.createdAt) { [ended] _ in
      cancel()
      return ended.promise
    }
  }

  func didSend(_ part: Int64, of whole: Int64) {
    if reportsSent { report(part, whole) }
  }

  /// Prepares for the body of a response. A request may have several responses, for example one after a credential was
  /// sent. Only the body of the last is kept.
  func begin(_ response: URLResponse, of task: URLSessionTask) {
    // A session may deliver another response before it has cancelled its task.
    guard failure == nil else { return }
    do {
      if let limit = try body.begin(response) { self.limit = limit }
    } catch {
      stop(task, because: error)
    }
    guard let limit = begin(response) else { return }
    self.limit = limit
    if let stream { body.pass(to: stream) }
  }

  /// Appends data to the body.
  ///
  /// - Parameter cancel: cancels the task. It is called if the body is too large or cannot be written.
  func receive(_ data: Data, of task: URLSessionTask, cancellingWith cancel: () -> Void) {
    // A session may deliver more data before it has cancelled its task.
    guard failure == nil else { return }
    do {
      guard body.count + Int64(data.count) <= limit else {
        throw TransferError.bodyTooLarge(limit: limit, url: task.currentRequest?.url)
      }
      try body.append(data)
    } catch {
      fail(because: error)
      willOutlastPromise()
      // A session that decompresses the rest of the body ends the task later.
      complete(task, with: nil)
      return cancel()
    }
    // The expected length of a compressed body is unknown after decompression. The response only has the number of
    // bytes that are sent.
    if !reportsSent {
      let progress = body.progress(expecting: task.countOfBytesExpectedToReceive)
      report(progress.part, progress.whole)
    }
  }

  /// Cancels the task, and lets the transfer fail with an error of the library's own.
  func stop(_ task: URLSessionTask, because error: any Error) {
    fail(because: error)
    task.cancel()
  }

  /// Lets the transfer fail with an error of the library's own when its task ends.
  func fail(because error: any Error) { failure = error }

  /// Sets the response with which the transfer ends when the caller cancels its task. Without a credential, for
  /// example, Foundation would never end the task, so the caller has to cancel it.
  func setFinalResponse(_ response: URLResponse?) { finalResponse = response }

  /// Completes the transfer when the session has reported the end of its last task.
  func sessionHasEnded(_ task: URLSessionTask, with error: (any Error)?) {
    stream?.requestHasEnded()
    complete(task, with: error)
    if ended.promise.isPending { ended.fulfill() }
  }

  /// Completes the transfer, unless it has failed before.
  private func complete(_ task: URLSessionTask, with error: (any Error)?) {
    guard failure == nil, let response = finalResponse ?? (error == nil ? task.response : nil) else {
      return end(because: failure ?? error ?? URLError(.badServerResponse))
    }
    guard !isCompleted else { return }
    isCompleted = true
    body.finish { contents in completion(contents.map { ($0, response) }) }
  }

  /// Completes the transfer with an error before it has a task.
  func endUnsent(because error: any Error) {
    end(because: error)
    ended.fulfill()
  }

  private func end(because error: any Error) {
    guard !isCompleted else { return }
    isCompleted = true
    // Before `completion`, so that no partial download is left when the client's handler sees the error.
    body.finish { _ in }
    completion(.failure(error))
  }
}
