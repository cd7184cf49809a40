import Foundation

/// An open file that owns its descriptor, and closes it once.
///
/// A `FileHandle` on Linux (Swift 6.3.1) that could not be closed closes the same number again when it is deallocated.
/// By then, the number may belong to another file.
///
/// Not thread-safe.
final class OpenFile {
  private let url: URL
  private let handle: FileHandle
  private var isClosed = false

  /// - Parameters:
  ///   - descriptor: an open descriptor, which this object closes.
  ///   - url: the file, for errors.
  init(_ descriptor: CInt, of url: URL) {
    self.url = url
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
  }

  deinit { try? close() }

  /// The descriptor. Precondition: this file is not closed.
  var fileDescriptor: CInt {
    assert(!isClosed, "A closed file has no descriptor.")
    return handle.fileDescriptor
  }

  func write(contentsOf data: Data) throws {
    try checkOpen()
    try handle.write(contentsOf: data)
  }

  func truncate(atOffset offset: UInt64) throws {
    try checkOpen()
    try handle.truncate(atOffset: offset)
  }

  /// The number may belong to another file by now.
  private func checkOpen() throws {
    if isClosed { throw CocoaError.writing(url, failedWith: EBADF) }
  }

  /// Closes the file. Does nothing if it is closed.
  ///
  /// - Throws: `CocoaError`, if the file system has lost bytes. The file is closed nevertheless.
  func close() throws {
    guard !isClosed else { return }
    let descriptor = fileDescriptor
    // Before, because the number is free afterwards, whatever the result is.
    isClosed = true
    guard systemClose(descriptor) != 0, errno != EINTR else { return }
    throw CocoaError.writing(url, failedWith: errno)
  }
}

/// `close` of the C library. Inside a type with a method `close`, that method hides its name.
let systemClose: @Sendable (CInt) -> CInt = { close($0) }
