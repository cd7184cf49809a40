#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Watches one download, the only task of its session: writes what comes, tells the progress, hands the file over, and asks the
  /// delegate of the session that was to download what that is to be asked.
  ///
  /// `@unchecked Sendable`: the variables are touched by callbacks only, which come one after the other; the rest does not change.
  final class DownloadDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let asker: URLSession
    private let reportsSent: Bool
    private let report: @Sendable (_ part: Int64, _ whole: Int64) -> Void
    private let finished: @Sendable (URL, URLResponse) -> Void
    private let failed: @Sendable (any Error) -> Void
    private let file: URL
    private let handle: FileHandle
    private var written: Int64 = 0
    /// Why nothing more is written.
    private var failure: (any Error)?
    /// The answer of a server that wanted a credential and gets none: this Foundation would wait for one for ever.
    private var refused: URLResponse?

    /// - Parameters:
    ///   - session: that was to download.
    ///   - target: beside which the file is written.
    ///   - sent: what counts is the body of the request, and not that of the answer.
    ///   - report: gets numbers of bytes; the whole is zero or less, if it is not known.
    ///   - finished: gets the file, which is there only as long as it runs.
    ///   - failed: gets the error, if there is no file.
    /// - Throws: `CocoaError`, if nothing can be written there.
    init(
      for session: URLSession, to target: URL, reportingSent sent: Bool,
      to report: @escaping @Sendable (Int64, Int64) -> Void,
      finished: @escaping @Sendable (URL, URLResponse) -> Void, failed: @escaping @Sendable (any Error) -> Void
    ) throws {
      asker = session
      reportsSent = sent
      self.report = report
      self.finished = finished
      self.failed = failed
      file = target.partBeside
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    }

    private var asked: (any URLSessionTaskDelegate)? { asker.delegate as? any URLSessionTaskDelegate }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(.allow)
      // With a credential it begins anew.
      written = 0
      do { try handle.truncate(atOffset: 0) } catch { stop(dataTask, because: error) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      do {
        try handle.write(contentsOf: data)
      } catch {
        return stop(dataTask, because: error)
      }
      written += Int64(data.count)
      if !reportsSent { report(written, dataTask.countOfBytesExpectedToReceive) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      if reportsSent { report(sent, whole) }
    }

    private func stop(_ task: URLSessionTask, because error: any Error) {
      failure = error
      task.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      try? handle.close()
      if let failure {
        failed(failure)
      } else if let response = refused ?? (error == nil ? task.response : nil) {
        finished(file, response)
      } else {
        failed(error ?? URLError(.badServerResponse))
      }
      // Unless it was moved.
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
