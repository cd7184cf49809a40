#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Watches one download, the only task of its session: tells its progress, hands its file over, and asks the delegate of the
  /// session that was to download what that is to be asked.
  ///
  /// `@unchecked Sendable`: `refused` is touched by callbacks only, which come one after the other; the rest does not change.
  final class DownloadDelegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    private let asker: URLSession
    private let report: @Sendable (_ part: Int64, _ whole: Int64) -> Void
    private let finished: @Sendable (URL, URLResponse) -> Void
    private let failed: @Sendable (any Error) -> Void
    /// The answer of a server that wanted a credential and gets none: this Foundation would wait for one for ever.
    private var refused: URLResponse?

    /// - Parameters:
    ///   - session: that was to download.
    ///   - report: gets numbers of bytes; the whole is zero or less, if it is not known.
    ///   - finished: gets the file, which is there only as long as it runs.
    ///   - failed: gets the error, if there is no file.
    init(
      for session: URLSession, reportingTo report: @escaping @Sendable (Int64, Int64) -> Void,
      finished: @escaping @Sendable (URL, URLResponse) -> Void, failed: @escaping @Sendable (any Error) -> Void
    ) {
      asker = session
      self.report = report
      self.finished = finished
      self.failed = failed
    }

    private var asked: (any URLSessionTaskDelegate)? { asker.delegate as? any URLSessionTaskDelegate }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData count: Int64,
      totalBytesWritten written: Int64, totalBytesExpectedToWrite whole: Int64
    ) {
      report(written, whole)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
      if let response = downloadTask.response { finish(file, response) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      guard let error else { return }
      guard let refused else { return failed(error) }
      // What the server said besides is in a file whose name is not known.
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try? Data().write(to: file)
      finish(file, refused)
    }

    /// This Foundation does not remove the file.
    private func finish(_ file: URL, _ response: URLResponse) {
      finished(file, response)
      try? FileManager.default.removeItem(at: file)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      guard let asked else { return completionHandler(request) }
      asked.urlSession(
        asker, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: completionHandler)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { disposition, credential in
        switch disposition {
        case .performDefaultHandling where challenge.proposedCredential == nil, .rejectProtectionSpace:
          self.refused = challenge.failureResponse ?? task.response
          completionHandler(.cancelAuthenticationChallenge, nil)
        case .useCredential where credential == nil:
          completionHandler(.cancelAuthenticationChallenge, nil)
        default:
          completionHandler(disposition, credential)
        }
      }
      guard let asked else { return answer(.performDefaultHandling, nil) }
      asked.urlSession(asker, task: task, didReceive: challenge, completionHandler: answer)
    }
  }
#endif
