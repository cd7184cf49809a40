public import Foundation
public import PromiseContexts

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

// Functions that send requests and return promises. `promise(for:)` of a request documents the behaviour that they
// share.

extension URLSession {
  /// Sends a request, and returns a promise for the whole body and the response, whatever the status.
  ///
  /// ```swift
  /// let page = session.promise(for: request).map { data, response in (data.count, response.mimeType) }
  /// ```
  ///
  /// The request starts at once. The promise is settled, and progress is reported, on a thread of the session. Handlers
  /// run on their own contexts. For checks of the status, JSON and readable requests, see ``HTTPRequest``.
  ///
  /// - **Progress** is the share of the body that has arrived, if the server has sent its length (rule 5.1).
  /// - **Cancelling** the promise cancels the task of the session.
  /// - **Errors** are those of the session. If other code cancels the task, the promise is rejected with
  ///   `URLError.cancelled`. The promise itself then does not count as cancelled (rule 1.2).
  /// - **Redirections**: At most 20 are followed. One more rejects with `URLError.httpTooManyRedirects`. POST becomes
  ///   GET after 301 and 302, every method but HEAD becomes GET after 303, and 307 and 308 send method and body again.
  ///   A body that is a stream cannot be sent again, which rejects with `URLError.requestBodyStreamExhausted` on Linux.
  ///   The body of a redirection that is followed is not limited.
  ///   The headers `Authorization`, `Cookie` and `Proxy-Authorization` are not sent to another origin (scheme, host or
  ///   port). On Apple's systems, a session's delegate that implements the method for redirections decides about these
  ///   headers.
  /// - **The session's delegate** is asked about redirections and authentication, if it is a `URLSessionTaskDelegate`.
  ///   If a request needs a credential and gets none, the promise is fulfilled with the server's response, which has
  ///   the status 401.
  ///
  /// Precondition: the session is not invalidated. Foundation traps when an invalidated session makes a task. On
  /// Apple's systems, a request with ``HTTPRequest/body(chunks:type:)``, or with a form that contains files, makes its
  /// task when the body has been written to a temporary file. So do not invalidate the session before this, unless the
  /// promise is settled.
  ///
  /// - Parameters:
  ///   - request: the request to send, with its body, if any, in `httpBody`.
  ///   - maximumBodySize: the greatest number of bytes that the body may have, after decompression. One byte more
  ///     rejects with ``TransferError/bodyTooLarge(limit:url:)`` and cancels the request. For larger bodies,
  ///     use `downloadingTo:`.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func promise(
    for request: URLRequest, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) { load(request, atMost: maximumBodySize, settling: $0) { ($0, $1) } }
  }

  /// Sends a GET request for a URL, as `promise(for:)` of a request does.
  public func promise(
    for url: URL, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    promise(for: URLRequest(url: url), maximumBodySize: maximumBodySize, fileID: fileID, line: line)
  }

  /// Sends a request with a body. The progress of the promise is the share of that body that was sent.
  ///
  /// Otherwise it behaves as `promise(for:)` of a request. The `httpBody` of the request is ignored.
  public func promise(
    for request: URLRequest, uploading body: Data, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) {
      load(request, uploading: .data(body), atMost: maximumBodySize, settling: $0) { ($0, $1) }
    }
  }

  /// Sends a request with the contents of a file as its body. The progress of the promise is the share of the file that
  /// was sent.
  ///
  /// Otherwise it behaves as `promise(for:)` of a request. Rejects with `CocoaError` if the file cannot be read or
  /// is not a regular file, as a named pipe. The file is read while it is sent, and is never in memory as a whole. It
  /// must not change until the promise is settled. On Linux a file that becomes shorter rejects the promise with
  /// `URLError`.
  public func promise(
    for request: URLRequest, uploadingFile file: URL, maximumBodySize: Int = HTTPRequest.defaultMaximumBodySize,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Data, URLResponse)> {
    Promise(fileID: fileID, line: line) { deferred in
      let upload = try Upload(contentsOf: file)
      load(request, uploading: upload, atMost: maximumBodySize, settling: deferred) { ($0, $1) }
    }
  }

  /// Sends a request and writes the body of the response to a file, whatever the status. The body is never in memory as
  /// a whole.
  ///
  /// Progress, cancellation and the session's errors are those of `promise(for:)` of a request. On Linux a request
  /// without an `Accept-Encoding` header asks for a body that is not compressed, because a compressed body that ends
  /// too early counts as complete there, and has no length for the progress.
  ///
  /// - **The file** gets its content in one step, when the whole body has arrived. Until then, and after a failure, an
  ///   existing file keeps its content. The body is gathered in a hidden file in the same folder, which only its owner
  ///   may read.
  /// - **Permissions** of a replaced file are kept, but not its owner and group. A new file has the permissions that
  ///   the process gives to any new file.
  /// - **Errors**: the promise is rejected with ``TransferError/notRegularFile(_:kind:)`` if the target exists and is
  ///   not a regular file, such as a directory or a device. It is rejected with `CocoaError` if the file cannot be
  ///   written, or if its directory does not exist.
  /// - **Symbolic links** are refused, too, because replacing or following a link may change a file that the caller
  ///   does not mean. To write to the target of a link, pass `file.resolvingSymlinksInPath()`. Links among the
  ///   directories of the path are followed.
  ///
  /// These errors are found before the request is sent.
  ///
  /// - Parameters:
  ///   - request: the request to send, with its body, if any, in `httpBody`.
  ///   - file: the file to write.
  ///   - maximumBodySize: the greatest number of bytes to write. One byte more rejects with
  ///     ``TransferError/bodyTooLarge(limit:url:)``, cancels the request and leaves an existing file as it was. There
  ///     is no limit by default, because downloads may be large.
  ///   - fileID: the file of source where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
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
