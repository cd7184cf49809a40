import Foundation

/// The names of the files of a part, beside the destination of its download.
struct PartNames {
  let part: URL
  let identity: URL

  init(of destination: URL) {
    let folder = destination.deletingLastPathComponent()
    part = folder.appendingPathComponent(".\(destination.lastPathComponent).part")
    identity = folder.appendingPathComponent(".\(destination.lastPathComponent).part.json")
  }
}

/// The open file of a part. Only one object at a time has the file of a destination open, in all processes.
///
/// Invariant: if the file of the identity exists, the bytes in the part are a beginning of the body that it identifies.
/// So the identity is removed before the part is emptied, and saved before the first byte is written.
final class PartFile {
  let destination: URL
  private let names: PartNames
  private let handle: OpenFile

  /// Opens the part beside a destination, and creates an empty one if there is none.
  ///
  /// - Throws: ``TransferError`` if the destination cannot be replaced, or if the part is in use, or `CocoaError`.
  init(beside destination: URL) throws {
    try destination.permissionsToKeep()
    self.destination = destination
    names = PartNames(of: destination)
    handle = try names.part.openPrivately()
    switch handle.lock() {
    case .locked:
      // Another download may have removed this file before it was locked. Then another file has its name.
      guard try names.part.openPrivately().lock() == .refused else { throw TransferError.partInUse(destination) }
    case .refused: throw TransferError.partInUse(destination)
    case .unavailable: break
    }
    guard names.part.sizeOfOwnFile != nil else {
      throw TransferError.notRegularFile(names.part, kind: "a file of another user, or not a file")
    }
    // A process may have ended just before the part would have replaced the destination.
    fchmod(handle.fileDescriptor, 0o600)
  }

  /// The number of bytes in the part.
  var size: Int64 { names.part.sizeOfOwnFile ?? 0 }

  /// The identity of the part. `nil` if nothing can continue the part.
  var identity: PartIdentity? { PartIdentity(savedAt: names.identity) }

  /// Removes the content.
  ///
  /// - Parameter identity: that of the body whose bytes are appended from now on. `nil` if nothing could continue them.
  func restart(as identity: PartIdentity?) throws {
    try names.identity.removeIfPresent()
    try handle.truncate(atOffset: 0)
    guard let identity else { return }
    let staged = destination.temporarySibling
    do {
      let file = try staged.createPrivately()
      try file.write(contentsOf: JSONEncoder().encode(identity))
      try file.close()
      try FileManager.default.moveItem(at: staged, to: names.identity)
    } catch {
      try? FileManager.default.removeItem(at: staged)
      throw error
    }
  }

  /// Continues at an offset, and removes what is behind it.
  func shorten(to offset: Int64) throws { try handle.truncate(atOffset: UInt64(offset)) }

  func append(_ data: Data) throws { try handle.write(contentsOf: data) }

  /// Returns the error with which the file system has lost bytes that were appended, if it has. Some file systems, such
  /// as NFS, report it only when a descriptor of the file is closed. It is not noticed if the process has no descriptor
  /// left.
  var lossOfBytes: CocoaError? {
    // A copy, because the part stays locked until it has replaced the destination.
    let copy = fcntl(handle.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, systemClose(copy) != 0, errno != EINTR else { return nil }
    return .writing(names.part, failedWith: errno)
  }

  /// Lets the part replace the destination in one step.
  func replaceDestination() throws {
    try names.part.replace(destination, through: handle.fileDescriptor)
    try? names.identity.removeIfPresent()
    close()
  }

  /// Closes the file, which keeps its content. Another object may open it afterwards.
  func close() {
    // A program that is being started has copies of all descriptors for a moment, and would keep the lock.
    handle.unlock()
    try? handle.close()
  }

  /// Removes the part, and closes the file.
  func remove() {
    try? names.identity.removeIfPresent()
    try? names.part.removeIfPresent()
    close()
  }
}

extension URL {
  /// Opens this file for reading and writing, and creates it if there is none. A new file may be read by its owner only.
  /// A symbolic link is not followed.
  fileprivate func openPrivately() throws -> OpenFile {
    // Safe, because the text is read in the call.
    let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw CocoaError.writing(self, failedWith: errno) }
    return OpenFile(descriptor, of: self)
  }

  /// The size of this file. `nil` if it is no regular file, or belongs to another user.
  var sizeOfOwnFile: Int64? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeRegular,
      (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid()
    else { return nil }
    return (attributes[.size] as? NSNumber)?.int64Value
  }

  fileprivate func removeIfPresent() throws {
    do {
      try FileManager.default.removeItem(at: self)
    } catch let error as CocoaError where error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile {
      return
    }
  }
}

extension OpenFile {
  fileprivate enum Lock {
    case locked
    /// Another open file has locked it.
    case refused
    /// The file system has no locks.
    case unavailable
  }

  /// Locks this file, until it is closed or the process ends.
  fileprivate func lock() -> Lock {
    if flock(fileDescriptor, LOCK_EX | LOCK_NB) == 0 { return .locked }
    return errno == EWOULDBLOCK ? .refused : .unavailable
  }

  /// Unlocks this open file, even if other descriptors have it, too.
  fileprivate func unlock() { _ = flock(fileDescriptor, LOCK_UN) }
}
