import Foundation

extension URL {
  /// Replaces another file of the same folder by this one, which only its owner may read. The other file keeps its
  /// content until it is replaced in one step.
  ///
  /// The replaced file's permissions are kept, but its owner is not. Without a file to replace, the permissions are
  /// those of any new file. `replaceItemAt` cannot be used: on Linux (Swift 6.3.1) it fails where there is a file.
  ///
  /// - Parameter descriptor: a descriptor of this file, if it is open.
  /// - Throws: ``TransferError/notRegularFile(_:kind:)`` or `CocoaError`. Both files are left as they were.
  func replace(_ other: URL, through descriptor: CInt? = nil) throws {
    let permissions = try other.permissionsToKeep() ?? other.permissionsOfNewFile()
    // A link that another program has put in the place of this file is not followed. Safe, because the text is read in
    // the call.
    let file = unsafe descriptor ?? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw CocoaError.writing(other, failedWith: errno) }
    defer { if descriptor == nil { close(file) } }
    // A file system without permissions refuses. Then the file stays private, which exposes nothing.
    fchmod(file, mode_t(permissions))
    // Safe, because both texts are read in the call.
    guard unsafe rename(path, other.path) != 0 else { return }
    let error = CocoaError.writing(other, failedWith: errno)
    fchmod(file, 0o600)
    throw error
  }

  /// A new hidden name in the folder of this file. Both are on the same volume, so a file of that name can be renamed
  /// to this one in one step.
  var temporarySibling: URL { deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).part") }

  /// Creates this file, which only its owner may read and write.
  ///
  /// - Throws: `CocoaError`.
  func createPrivately() throws -> OpenFile {
    // Safe, because the text is read in the call.
    let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError.writing(self, failedWith: errno) }
    return OpenFile(descriptor, of: self)
  }

  /// Checks that a download may create or replace this file.
  ///
  /// A symbolic link is not followed, and is refused. Another user may have made the link, and replacing a link such as
  /// `/dev/stdout` is as harmful as replacing a device.
  ///
  /// - Returns: the permissions of the file without the rights of `setuid` and its kin; `nil` if there is no file.
  /// - Throws: ``TransferError/notRegularFile(_:kind:)`` or `CocoaError`.
  @discardableResult
  func permissionsToKeep() throws -> Int? {
    let attributes: [FileAttributeKey: Any]
    do {
      // These are the attributes of the link itself if the file is one. An app that calls `lstat` would have to declare
      // a reason for it.
      attributes = try FileManager.default.attributesOfItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
      return nil
    }
    let kind: String? =
      switch attributes[.type] as? FileAttributeType {
      case .typeRegular?: nil
      case .typeDirectory?: "a directory"
      case .typeSymbolicLink?: "a symbolic link"
      case .typeSocket?: "a socket"
      case .typeCharacterSpecial?: "a character device"
      case .typeBlockSpecial?: "a block device"
      // Foundation does not know named pipes.
      default: "a named pipe or another special file"
      }
    if let kind { throw TransferError.notRegularFile(self, kind: kind) }
    return (attributes[.posixPermissions] as? NSNumber).map { $0.intValue & 0o777 } ?? 0o600
  }

  /// Returns the permissions that the system gives to a new file in this folder. They depend on the mask of the process
  /// and on rules of the folder. A process can read its mask only by changing it for all threads for a moment, so this
  /// creates a file and reads its permissions.
  private func permissionsOfNewFile() throws -> Int {
    let probe = temporarySibling
    guard FileManager.default.createFile(atPath: probe.path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
    defer { try? FileManager.default.removeItem(at: probe) }
    return try probe.permissionsToKeep() ?? 0o600
  }
}

extension CocoaError {
  /// The error for a file that cannot be written, with the system's reason.
  static func writing(_ file: URL, failedWith code: Int32) -> CocoaError {
    let reason: CocoaError.Code =
      switch code {
      case ENOENT, ENOTDIR: .fileNoSuchFile
      case EACCES, EPERM: .fileWriteNoPermission
      case ENOSPC: .fileWriteOutOfSpace
      case EROFS: .fileWriteVolumeReadOnly
      default: .fileWriteUnknown
      }
    let cause = POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    return CocoaError(reason, userInfo: [NSFilePathErrorKey: file.path, NSUnderlyingErrorKey: cause])
  }
}
