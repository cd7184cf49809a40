import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gathers the body of a response in the part of a download, which it may continue.
///
/// `@unchecked Sendable`, because after `init` the variables are accessed only by callbacks of the session, which run
/// one at a time.
final class PartialBody: @unchecked Sendable {
  /// The server has another version of the body than that of the part, or does not tell where the body ends. So the whole
  /// body must be requested.
  struct VersionError: Error {}

  private enum Mode {
    /// No response has come.
    case waiting
    /// The body is appended to the part. Without an identity, nothing could continue the part.
    case writing(PartIdentity?)
    /// The request does not accept the status. The body is that of the error.
    case refused
  }

  private let file: PartFile
  private let request: HTTPRequest
  private let urlRequest: URLRequest
  /// The part that the request continues, and where the rest begins. `nil` if the request is for the whole body.
  private let continued: (part: DownloadPart, offset: Int64)?
  private var mode = Mode.waiting
  /// The body of a response that the request does not accept.
  private var refusedBody = Data()
  /// The number of bytes of the whole body, if it is known.
  private var length: Int64?
  /// The number of bytes that the progress of an earlier promise has shown.
  private var shownCount: Int64 = 0
  /// The number of bytes of the body that have arrived, with those of the part.
  private(set) var count: Int64 = 0

  /// - Throws: ``TransferError`` or `CocoaError`, if the destination or the part cannot be written.
  init(
    beside destination: URL, for request: HTTPRequest, as urlRequest: URLRequest, continuing part: DownloadPart?
  ) throws {
    file = try PartFile(beside: destination)
    self.request = request
    self.urlRequest = urlRequest
    // The last byte of a whole part is requested again, because a server refuses a request for no byte.
    let offset = min(file.size, (part?.bodySize ?? .max) - 1)
    continued =
      if let part, offset > 0, part.identity == file.identity, part.identity.fits(urlRequest) { (part, offset) } else {
        nil
      }
  }

  /// The request, which asks for the rest if there is a part. Offsets count bytes that are not compressed.
  var requestForRest: URLRequest {
    var request = urlRequest
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    request.setValue(nil, forHTTPHeaderField: "Range")
    request.setValue(nil, forHTTPHeaderField: "If-Range")
    if let (part, offset) = continued {
      request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
      request.setValue(part.identity.validator, forHTTPHeaderField: "If-Range")
      request.cachePolicy = .reloadIgnoringLocalCacheData
    }
    return request
  }

  /// The number of bytes that this promise has shown, and the number that it shows in all, which is zero if it is not
  /// known.
  var progress: (part: Int64, whole: Int64) {
    guard case .writing = mode, let length else { return (0, 0) }
    return (count - shownCount, length - shownCount)
  }

  // MARK: Callbacks of the session, one at a time

  /// Prepares for the body of a response.
  ///
  /// - Returns: the greatest number of bytes that the body may have.
  /// - Throws: ``VersionError``, ``TransferError`` or `CocoaError`.
  func begin(_ response: URLResponse) throws -> Int {
    guard let head = response as? HTTPURLResponse else { return request.memoryLimit }
    switch head.statusCode {
    case 206 where continued != nil || request.accepted.contains(206): try continuePart(with: head)
    case 416 where continued != nil: throw VersionError()
    case let status where request.accepted.contains(status): try restart(with: head)
    default:
      mode = .refused
      refusedBody = Data()
      count = 0
      return request.memoryLimit
    }
    return request.fileLimit
  }

  private func continuePart(with head: HTTPURLResponse) throws {
    let text = head.value(ofHeader: "Content-Range")
    guard let (part, offset) = continued, let range = text.flatMap(ContentRange.init), range.first == offset,
      head.expectedContentLength < 0 || head.expectedContentLength == range.count
    else {
      throw TransferError.unexpectedRange(text, url: head.url)
    }
    // A range may end before the body does, so without a length nothing tells whether the body is whole.
    guard let whole = range.length ?? part.bodySize, !part.identity.contradicts(head, length: range.length),
      file.size >= offset
    else { throw VersionError() }
    try file.shorten(to: offset)
    mode = .writing(part.identity)
    length = whole
    count = offset
    shownCount = part.isShown ? min(part.size, offset) : 0
  }

  private func restart(with head: HTTPURLResponse) throws {
    let identity = PartIdentity(of: urlRequest, answeredBy: head)
    try file.restart(as: identity)
    mode = .writing(identity)
    length = identity?.length ?? (head.expectedContentLength > 0 ? head.expectedContentLength : nil)
    count = 0
    shownCount = 0
  }

  func append(_ data: Data) throws {
    switch mode {
    case .waiting: break
    case .writing: try file.append(data)
    case .refused: refusedBody += data
    }
    count += Int64(data.count)
  }

  /// Replaces the destination by the whole body.
  ///
  /// - Throws: the error with which the download ends. Then call ``end(because:)``.
  func complete(with response: URLResponse) throws -> HTTPResponse {
    let head = try HTTPResponse(response, body: Data())
    // The session may deliver a response without its head, if that asks for a credential.
    if case .waiting = mode { _ = try begin(response) }
    if case .refused = mode { throw HTTPError.status(try HTTPResponse(response, body: refusedBody)) }
    // The range of a 206 may end before the body does.
    if case .writing(.some) = mode, let length, count != length { throw URLError(.networkConnectionLost) }
    if let loss = file.lossOfBytes {
      // Any bytes may be missing, so nothing can continue the part.
      mode = .writing(nil)
      throw loss
    }
    try file.replaceDestination()
    return head
  }

  /// Closes the part, which stays if another download can continue it.
  ///
  /// - Returns: the error for the client. It has the part, if there is one.
  func end(because error: any Error) -> any Error {
    let left: DownloadPart?
    switch (mode, error) {
    case (_, is VersionError), (.writing, TransferError.bodyTooLarge), (.writing(nil), _): left = nil
    case (.writing(let identity?), _):
      left = DownloadPart(of: file.destination, size: file.size, identity: identity, isShown: true)
    case (.waiting, _), (.refused, _):
      // A part that was not to be continued stays, because nothing has replaced it.
      guard let (part, offset) = continued else {
        if file.identity == nil { file.remove() } else { file.close() }
        return error
      }
      left = DownloadPart(of: file.destination, size: offset, identity: part.identity, isShown: part.isShown)
    }
    // More bytes than the server has announced are not those of the body.
    guard let left, left.size > 0, left.size <= left.bodySize ?? .max else {
      file.remove()
      return error
    }
    file.close()
    return DownloadInterruptedError(part: left, underlyingError: error)
  }
}
