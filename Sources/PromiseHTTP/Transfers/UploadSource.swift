#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The body of a request, which can be sent more than once.
  ///
  /// A session asks for the body before it sends the request, and again after it has answered a challenge. It also asks
  /// if the server has closed a kept connection without a response. The client cannot know then whether the server has
  /// carried out the request, so only an idempotent request is sent again (RFC 9110, 9.2.2).
  final class UploadSource: Sendable {
    let upload: Upload
    private let isIdempotent: Bool
    private let lock = NSLock()
    // Safe, because it is accessed only under the lock.
    nonisolated(unsafe) private var maySend = true

    init(_ upload: Upload, method: String?) {
      self.upload = upload
      isIdempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method ?? "GET")
    }

    /// Allows the session to send the body once more.
    func allowSending() { lock.withLock { unsafe maySend = true } }

    /// Returns the body for the next time that it is sent, or `nil` if it must not be sent again.
    func nextStream() -> InputStream? {
      lock.withLock {
        defer { unsafe maySend = false }
        return unsafe maySend || isIdempotent ? UploadStream(upload) : nil
      }
    }
  }

  extension URLRequest {
    /// The body that is sent, unless it is a stream of the caller's or has no bytes.
    var upload: Upload? { httpBody.flatMap { $0.isEmpty ? nil : .data($0) } }

    /// Returns this request for a body of known length that is sent as a stream.
    ///
    /// Without a stream, a session keeps one copy of the body in memory for each task, cannot send it again (Swift
    /// 6.3.1), and reads a file ahead on another thread, which traps if the task ends meanwhile.
    func streaming(_ count: Int) -> URLRequest {
      var request = self
      request.httpBody = nil
      // A header with an empty value, which Foundation passes on if it is a space, is one that libcurl leaves out. It
      // would ask the server whether to send a body, and send a body of unknown length in chunks.
      if value(forHTTPHeaderField: "Expect") == nil { request.setValue(" ", forHTTPHeaderField: "Expect") }
      if value(forHTTPHeaderField: "Transfer-Encoding") == nil {
        request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        request.setValue("\(count)", forHTTPHeaderField: "Content-Length")
      }
      return request
    }
  }
#endif
