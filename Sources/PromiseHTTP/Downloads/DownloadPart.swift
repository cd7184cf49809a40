public import Foundation
import PromiseCore
import PromiseFoundation

/// The part of a file that a download has left, from which another download can continue.
///
/// The part lies beside the destination of the download, in a hidden file that only its owner may read. A second hidden
/// file identifies the part: it has the URL of the request, and the strong `ETag` or the `Last-Modified` date of the
/// response. So a part outlives the program. ``init(beside:)`` finds it, and ``DownloadInterruptedError`` has it.
public struct DownloadPart: Sendable {
  /// The file that the download writes when the whole body has arrived.
  public let destination: URL
  /// The size of the part in bytes.
  public let size: Int64
  let identity: PartIdentity
  /// Whether the progress of an earlier promise has shown the part.
  let isShown: Bool

  init(of destination: URL, size: Int64, identity: PartIdentity, isShown: Bool) {
    self.destination = destination
    self.size = size
    self.identity = identity
    self.isShown = isShown
  }

  /// Finds the part that an earlier download to a file has left, perhaps in an earlier run of the program. The result
  /// is `nil` if there is none, or if it cannot be read.
  ///
  /// Reads a small file, and blocks the calling thread for that.
  ///
  /// - Parameter destination: the file to which the download writes.
  /// - Complexity: O(1).
  public init?(beside destination: URL) {
    let names = PartNames(of: destination)
    guard let identity = PartIdentity(savedAt: names.identity), let size = names.part.sizeOfOwnFile, size > 0 else {
      return nil
    }
    self.init(of: destination, size: size, identity: identity, isShown: false)
  }

  /// The size of the whole body in bytes. `nil` if the server has not announced it.
  public var bodySize: Int64? { identity.length }

  /// Removes the part that lies beside the destination, whether or not it has grown since.
  ///
  /// - Throws: ``TransferError/partInUse(_:)`` if a download that has not finished writes the part, or `CocoaError`.
  public func remove() throws {
    let file = try PartFile(beside: destination)
    file.remove()
  }
}

extension DownloadPart: CustomStringConvertible {
  /// One line with the destination and the number of bytes.
  public var description: String {
    "\(size) of \(bodySize.map { "\($0)" } ?? "an unknown number of") bytes of \(destination.path)".inOneLine
  }
}

/// The error of a download that has ended early and has left a part, from which another download can continue.
public struct DownloadInterruptedError: Error, Sendable {
  /// The part that has arrived.
  public let part: DownloadPart
  /// The reason why the download has ended. It is an error of the session or of the file system, a ``TransferError``, or
  /// an ``HTTPError``.
  public let underlyingError: any Error
}

extension DownloadInterruptedError: CustomStringConvertible {
  /// One line with the part and the reason. URLs are shortened. See ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String {
    "the download was interrupted after \(part): \(shorteningURLs(in: "\(underlyingError)"))".inOneLine
  }
}
