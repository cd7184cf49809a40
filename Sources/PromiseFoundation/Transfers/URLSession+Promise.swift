public import Foundation
public import PromiseContexts

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

// Requests as promises. They start at once; what they have in common is said once, at `promise(for:)` of a request.

extension URLSession {
  /// Sends a request, and gives what comes back: the whole body and its response, whatever the status (reference row L9).
  ///
  /// ```swift
  /// let page = session.promise(for: request).map { data, response in (data.count, response.mimeType) }
  /// ```
  ///
  /// The request starts at once. The promise is fulfilled, and progress told, on a thread of the session's; handlers run on
  /// the contexts they name. For status codes, JSON and readable requests see ``HTTPRequest``.
  ///
  /// - **Progress** is the share of the body that has come, if its length was announced (rule 5.1).
  /// - **Cancelling** the promise cancels the task of the session.
  /// - **Errors** are those of the session, as they are. A task that somebody else cancels rejects with `URLError.cancelled`,
  ///   which is not the mark of rule 1.2: this promise was not cancelled.
  /// - **Redirections**: At most 20 are followed, and the next rejects with `URLError.httpTooManyRedirects`. POST becomes GET after 301
  ///   and 302, every method but HEAD becomes GET after 303, and 307 and 308 send method and body again. A body that is a stream cannot be
  ///   sent again: that rejects with `URLError.requestBodyStreamExhausted` on Linux. The headers `Authorization`, `Cookie` and
  ///   `Proxy-Authorization` are not sent to another origin (scheme, host or port). On Apple's systems the session's delegate
  ///   decides about these headers, if it is a `URLSessionTaskDelegate`.
  /// - The session's delegate is asked about redirections and authentication, if it is a `URLSessionTaskDelegate`. What
  ///   needs a credential, and gets none, comes back as the server's answer, 401.
  ///
  /// The session must not be invalidated: Foundation makes no tasks then, but traps.
  ///
  /// - Parameters:
  ///   - request: with the body to send, if any, in `httpBody`.
  ///   - maximumBodySize: how many bytes of a body may arrive, after decompression. One byte more rejects with
  ///     ``TransferError/bodyTooLarge(limit:url:)`` and cancels the request at once. For larger bodies there is `downloadingTo:`.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  public func promise(
    for request: URLRequest, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) { load(request, atMost: maximumBodySize, settling: $0) { ($0, $1) } }
  }

  /// Loads what is at a URL. As `promise(for:)` of a request.
  public func promise(
    for url: URL, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    promise(for: URLRequest(url: url), maximumBodySize: maximumBodySize, fileID: fileID, line: line)
  }

  /// Sends a request with a body that is large enough to show its progress, which is the share that was sent.
  ///
  /// As `promise(for:)` of a request, for the rest. The request's own `httpBody` is ignored.
  public func promise(
    for request: URLRequest, uploading body: Data, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) {
      load(request, uploading: .data(body), atMost: maximumBodySize, settling: $0) { ($0, $1) }
    }
  }

  /// Sends a request with the contents of a file as its body. Its progress is the share that was sent.
  ///
  /// As `promise(for:)` of a request, for the rest. Rejects with `CocoaError` if the file cannot be read.
  public func promise(
    for request: URLRequest, uploadingFile file: URL, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) { deferred in
      let upload = try Upload(contentsOf: file)
      load(request, uploading: upload, atMost: maximumBodySize, settling: deferred) { ($0, $1) }
    }
  }

  /// Sends a request and writes the body of the answer into a file, whatever the status. The body is never in memory as a whole.
  ///
  /// Progress, cancellation and the session's errors are those of `promise(for:)` of a request.
  ///
  /// - **The file** gets its content in one step, when all of the body has arrived. Until then, and if anything fails, an existing file
  ///   keeps its content. The body is collected in a hidden file beside it, which only its owner may read.
  /// - **Permissions** of a replaced file are kept; its owner and group are not. A new file has those that the process gives to any new
  ///   file.
  /// - **Errors**: the promise is rejected with ``TransferError/notRegularFile(_:kind:)`` if something is there that is not a regular
  ///   file, such as a directory or a device, and with `CocoaError` if the file cannot be written. Its directory must exist.
  /// - **Symbolic links** are refused, too, because to replace or to follow them may change a file that the caller does not mean. To
  ///   write where a link leads, pass `file.resolvingSymlinksInPath()`. Links among the directories of the path are followed.
  ///
  /// A file that cannot be written is found before the request is sent.
  ///
  /// - Parameters:
  ///   - request: the request to send, with its body, if any, in `httpBody`.
  ///   - file: the file to write.
  ///   - maximumBodySize: how many bytes may be written. One byte more rejects with ``TransferError/bodyTooLarge(limit:url:)``, cancels
  ///     the request and leaves an existing file as it was. There is no limit by default, for downloads are meant to be large.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  public func promise(
    for request: URLRequest, downloadingTo file: URL, maximumBodySize: Int = .max, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<URLResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      try download(request, to: file, atMost: maximumBodySize, settling: deferred) { temporary, response in
        try temporary.replace(file)
        return response
      }
    }
  }
}
