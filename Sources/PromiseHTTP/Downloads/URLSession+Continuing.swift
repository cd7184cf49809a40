public import Foundation
public import PromiseContexts

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request, and writes the body of the response to a file. If the download ends early, the part that has
  /// arrived stays beside the file, and another download can continue it.
  ///
  /// ```swift
  /// let part = DownloadPart(beside: file)
  /// let film = session.promise(for: .get("\(address)/film"), downloadingTo: file, continuing: part)
  /// ```
  ///
  /// The request is sent as by `promise(for:)`. Files, permissions, symbolic links and their errors are treated as by
  /// `downloadingTo:` of a `URLRequest`: the file gets its content in one step, when the whole body has arrived. The
  /// promise is settled, and progress is reported, on a thread of the session. Handlers run on their own contexts.
  ///
  /// - **A part stays** if the response identifies its body, by a strong `ETag`, or without an `ETag` by a
  ///   `Last-Modified` date that is at least a second before its `Date`. The request must be a GET, and the body not
  ///   compressed on its way, so the request asks for that. Otherwise nothing stays.
  /// - **A part is continued** with the headers `Range` and `If-Range`, which replace those of the request. The
  ///   download begins anew if the part is not of this URL, was removed or replaced since, or if the server has another
  ///   version: if the answer has the whole body (200), names another `ETag`, date or length, or has the status 416. It
  ///   also begins anew if neither this answer nor the one that began the part tells the length of the whole body,
  ///   because the rest may come in several ranges. Except after a 200, the request is sent again, without `Range`.
  /// - **Errors** of a download that leaves a part are in a ``DownloadInterruptedError``. Otherwise the promise is
  ///   rejected with the error itself: that of the session, `CocoaError` if the part cannot be written,
  ///   ``HTTPError/status(_:)`` if the request does not accept the status, or ``TransferError``. It is
  ///   ``TransferError/unexpectedRange(_:url:)`` if the server sends a part that was not requested, and
  ///   ``TransferError/partInUse(_:)`` if another download to this file has not finished. A body that exceeds
  ///   ``HTTPRequest/maximumBodySize(_:)``, which counts the whole body, leaves no part.
  /// - **Cancelling** the promise cancels the request, and the part stays. ``DownloadPart/init(beside:)`` finds it when
  ///   the promise has finished (rule 2.11).
  /// - **Progress** is the share of the body that has arrived, with the part, if the length is known. If the part is
  ///   that of a ``DownloadInterruptedError``, the promise before has shown it, and the progress is the share of the
  ///   rest. So the progress of a `retry` is that of the whole body (rule 5.4).
  /// - **The response** is that of the last request. Its status is 206 if a part was continued.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - file: the file to write. Its directory must exist. The part is a hidden file beside it.
  ///   - part: the part to continue. With `nil`, or if it does not fit, the download begins anew, and replaces a part
  ///     that is there when the response arrives.
  ///   - fileID: the file of source where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  /// - Complexity: O(1) beside the transfer.
  public func promise(
    for request: HTTPRequest, downloadingTo file: URL, continuing part: DownloadPart?,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      try download(request, to: file, continuing: part, settling: deferred)
    }
  }

  private func download(
    _ request: HTTPRequest, to file: URL, continuing part: DownloadPart?, settling deferred: Deferred<HTTPResponse>
  ) throws {
    let (urlRequest, upload) = try request.urlRequestAndUpload()
    let body = try PartialBody(beside: file, for: request, as: urlRequest, continuing: part)
    let transfer = RequestTransfer(
      into: ResponseBody(in: body), atMost: request.fileLimit, reportingSent: false, to: deferred.report(_:of:)
    ) { result in
      do {
        let answer = try result.get().1
        // After a cancellation the file keeps its content.
        guard deferred.promise.isPending else { throw CancellationError() }
        let response = try body.complete(with: answer)
        deferred.settleIfPending { response }
      } catch {
        let isOutdated = error is PartialBody.VersionError
        let error = body.end(because: error)
        guard isOutdated, deferred.promise.isPending else { return deferred.rejectIfPending(with: error) }
        // Without a part, there is no other version of it, so this happens once.
        do {
          try self.download(request, to: file, continuing: nil, settling: deferred)
        } catch {
          deferred.rejectIfPending(with: error)
        }
      }
    }
    send(body.requestForRest, uploading: upload, as: transfer, settling: deferred)
  }
}
