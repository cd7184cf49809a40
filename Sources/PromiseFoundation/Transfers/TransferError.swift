public import Foundation

/// A transfer that the library itself refuses or stops. What goes wrong in the session has the session's own errors.
public enum TransferError: Error, Sendable {
  /// The target of a download exists and is not a regular file. It was left as it is. `kind` says what it is, for example
  /// "a directory".
  case notRegularFile(URL, kind: String)
}

extension TransferError: CustomStringConvertible {
  /// Says in one line what was refused.
  public var description: String { text.inOneLine }

  private var text: String {
    switch self {
    case .notRegularFile(let file, let kind):
      "the download cannot replace \(file.path): it is \(kind), not a regular file"
    }
  }
}
