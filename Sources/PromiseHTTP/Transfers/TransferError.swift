public import Foundation
import PromiseCore
import PromiseFoundation

/// The error of a transfer that the library itself refuses or stops. Failures of the session have the session's own
/// errors.
///
/// A `switch` over it needs a `default`, because a minor version may add cases.
public enum TransferError: Error, Sendable {
  /// The target of a download exists and is not a regular file. The target was not changed. `kind` describes it, for
  /// example as "a directory".
  case notRegularFile(URL, kind: String)
  /// The body of a response is larger than the limit, in bytes after decompression. The request was cancelled, and the
  /// bytes that had arrived were discarded.
  case bodyTooLarge(limit: Int, url: URL?)
  /// A line or an event of a streamed body is larger than the limit, in bytes. The request was cancelled.
  case elementTooLarge(limit: Int, url: URL?)
  /// A response with the status 206 has a part of the body that was not requested. Either no part was, or it does not
  /// begin where the requested part does. The text is its header `Content-Range`.
  case unexpectedRange(String?, url: URL?)
  /// A download that has not finished writes the part beside this destination.
  case partInUse(URL)
}

extension TransferError: CustomStringConvertible {
  /// One line that says what was refused. URLs are shortened. See ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { text.inOneLine }

  private var text: String {
    switch self {
    case .notRegularFile(let file, let kind):
      "the download cannot replace \(file.path): it is \(kind), not a regular file"
    case .bodyTooLarge(let limit, let url):
      "the body from \(shorteningURLs(in: url?.absoluteString ?? "an unknown place")) is larger than the limit of \(limit) bytes"
    case .elementTooLarge(let limit, let url):
      "a line or an event from \(shorteningURLs(in: url?.absoluteString ?? "an unknown place")) is larger than the limit of \(limit) bytes"
    case .unexpectedRange(let range, let url):
      "the part \(range.map { "\"\($0)\"" } ?? "without Content-Range") from \(shorteningURLs(in: url?.absoluteString ?? "an unknown place")) was not requested"
    case .partInUse(let file): "another download to \(file.path) has not finished"
    }
  }
}
