import Foundation

/// The error of a system call that has failed.
struct SystemError: Error {
  let code: Int32

  init(_ code: Int32 = errno) { self.code = code }
}

extension SystemError: CustomStringConvertible {
  /// The system's text for the error.
  var description: String {
    // Safe, because the call gets the true length of the buffer, and the text ends within it.
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "errno \(code)" }
      let status = unsafe strerror_r(code, start, buffer.count)
      return status == 0 ? unsafe String(cString: start) : "errno \(code)"
    }
  }
}

/// An open file. It is closed when this object is deallocated, and child processes do not inherit it.
final class Descriptor: Sendable {
  let number: Int32

  /// Takes ownership of an open file, which must have the flag `FD_CLOEXEC`.
  init(_ number: Int32) throws(SystemError) {
    guard number >= 0 else { throw SystemError() }
    // In a process without standard input, output or error, a new file gets the number of one of them. The child
    // process needs that number for its own standard files, so the file is moved to another number.
    guard number <= STDERR_FILENO else {
      self.number = number
      return
    }
    let moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let error = SystemError()
    close(number)
    guard moved >= 0 else { throw error }
    self.number = moved
  }

  deinit { close(number) }

  /// Opens a file.
  convenience init(_ path: String, _ flags: Int32) throws(SystemError) {
    try self.init(unsafe open(path, flags | O_CLOEXEC))
  }

  /// Returns `/dev/null` for a program that inherits a standard file which this process does not have, or `nil` if this
  /// process has it.
  ///
  /// The first files that a process without standard files opens have their numbers. Such a file has the flag
  /// `FD_CLOEXEC`, unless it was opened for child processes.
  static func replacingMissing(_ number: Int32) throws(SystemError) -> Descriptor? {
    let flags = fcntl(number, F_GETFD)
    if flags >= 0, flags & FD_CLOEXEC == 0 { return nil }
    return try Descriptor("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY)
  }

  /// Makes `read` and `write` return with `EAGAIN` instead of waiting.
  func makeNonblocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

  /// Makes `read` and `write` wait.
  func makeBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK) }

  static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
    // Safe, because `pipe2` and `pipe` write two numbers.
    var ends: [Int32] = [-1, -1]
    guard unsafe makePipe(&ends) == 0 else { throw SystemError() }
    // Unlike `pipe2`, `pipe` does not set the flag. A program that another thread starts before this loop inherits both
    // ends.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading: Descriptor
    do { reading = try Descriptor(ends[0]) } catch {
      close(ends[1])
      throw error
    }
    return (reading, try Descriptor(ends[1]))
  }

  private static func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
    #if os(Linux) && !canImport(Darwin)
      if let pipe2 = unsafe CLibrary.pipe2 { return unsafe pipe2(ends, O_CLOEXEC) }
    #endif
    return unsafe Foundation.pipe(ends)
  }
}
