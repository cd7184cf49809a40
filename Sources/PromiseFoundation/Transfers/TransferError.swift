public import Foundation
import PromiseCore

/// A transfer that the library itself refuses or stops. What goes wrong in the session has the session's own errors.
public enum TransferError: Error, Sendable {
  /// The target of a download exists and is not a regular file. It was left as it is. `kind` says what it is, for example
  /// "a directory".
  case notRegularFile(URL, kind: String)
  /// The body of an answer is larger than the limit, in bytes after decompression. The request was cancelled, and what had arrived
  /// was discarded.
  case bodyTooLarge(limit: Int, url: URL?)
}

extension TransferError: CustomStringConvertible {
  /// Says in one line what was refused. URLs are shortened: see ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { text.inOneLine }

  private var text: String {
    switch self {
    case .notRegularFile(let file, let kind):
      "the download cannot replace \(file.path): it is \(kind), not a regular file"
    case .bodyTooLarge(let limit, let url):
      "the body from \(shorteningURLs(in: url?.absoluteString ?? "an unknown place")) is larger than the limit of \(limit) bytes"
    }
  }
}
