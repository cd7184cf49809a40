import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request of a session: gathers the answer, and tells the progress.
///
/// `@unchecked Sendable`: the variables are touched by callbacks of the session only, which come one after the other.
final class CarriedRequest: @unchecked Sendable {
  private let reportsSent: Bool
  private let report: @Sendable (_ part: Int64, _ whole: Int64) -> Void
  private let ended: @Sendable (Result<(AnswerContents, URLResponse), any Error>) -> Void
  private var body: AnswerBody
  private let limit: Int
  /// Why nothing more is written.
  private var failure: (any Error)?
  /// The answer of a server that wanted a credential and gets none.
  private var refused: URLResponse?

  /// - Parameters:
  ///   - body: where the answer goes.
  ///   - limit: how many bytes of it may come, after decompression.
  ///   - sent: what counts is the body of the request, and not that of the answer.
  ///   - report: gets numbers of bytes; the whole is zero or less, if it is not known.
  ///   - ended: gets the answer; a file is there only as long as it runs.
  init(
    into body: AnswerBody, atMost limit: Int, reportingSent sent: Bool,
    to report: @escaping @Sendable (Int64, Int64) -> Void,
    ended: @escaping @Sendable (Result<(AnswerContents, URLResponse), any Error>) -> Void
  ) {
    self.body = body
    self.limit = limit
    self.reportsSent = sent
    self.report = report
    self.ended = ended
  }

  func hasSent(_ part: Int64, of whole: Int64) {
    if reportsSent { report(part, whole) }
  }

  /// An answer begins, perhaps once more: with a credential.
  func begin(of task: URLSessionTask) {
    do { try body.clear() } catch { stop(task, because: error) }
  }

  func receive(_ data: Data, of task: URLSessionTask) {
    // A session may have more to hand over than was asked for until it has noticed that its task is cancelled.
    guard failure == nil else { return }
    guard body.count + Int64(data.count) <= limit else {
      return stop(task, because: TransferError.bodyTooLarge(limit: limit, url: task.currentRequest?.url))
    }
    do { try body.append(data) } catch { return stop(task, because: error) }
    // Of a compressed body it is not known how long it will be here, though its response says how many bytes are sent.
    if !reportsSent { report(body.count, task.countOfBytesExpectedToReceive) }
  }

  /// Ends the request with an error of the library's own.
  func stop(_ task: URLSessionTask, because error: any Error) {
    failure = error
    task.cancel()
  }

  /// There is no credential. Foundation would wait for one for ever: its task is to be cancelled.
  func refuse(_ response: URLResponse?) { refused = response }

  func end(of task: URLSessionTask, with error: (any Error)?) {
    guard failure == nil, let response = refused ?? (error == nil ? task.response : nil) else {
      // First, so that no part of a download is left when the client learns of the failure.
      body.end { _ in }
      return ended(.failure(failure ?? error ?? URLError(.badServerResponse)))
    }
    body.end { ended(.success(($0, response))) }
  }
}
