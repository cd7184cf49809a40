#if os(macOS) || os(Linux)
  import Foundation

  /// What went wrong with a ``Command``.
  public enum CommandError: Error, Sendable {
    /// The program has exited with a status that the command does not accept, or a signal has killed it. With all that
    /// it wrote.
    case failed(CommandResult)
    /// No program has this name or path. `path` is the value of `PATH` in which a name was searched; `nil`, if `PATH`
    /// was not used.
    case programNotFound(String, path: String?)
    /// There is a file, but it cannot be run: this process has no permission, or it is no program for this system.
    case notExecutable(String)
    /// The directory in which the program was to start does not exist, or is none, or may not be entered.
    case noDirectory(String)
    /// The file that was to be the standard input cannot be opened. `code` is the system's `errno`.
    case inputNotReadable(String, code: Int32)
    /// An argument, a variable of the environment or a path cannot be passed to a program, because it contains a null
    /// character; or the name of a variable is empty or contains `=`. `part` says which, for example "argument 2".
    case notRepresentable(program: String, part: String)
    /// The program has written more than the limit, in bytes, to its standard output or its standard error. It was
    /// stopped.
    case outputTooLarge(program: String, limit: Int)
    /// The system did not start the program. `code` is its `errno`, for example `EMFILE` if too many files are open.
    case notStarted(program: String, code: Int32)
    /// The program has ended, but other code of this process has collected its status, or `SIGCHLD` is ignored.
    case statusUnknown(program: String)
  }

  extension CommandError: CustomStringConvertible {
    /// Says in one line what went wrong, and names the program. Arguments are left out, because they may be secrets.
    public var description: String { text.inOneLine }

    private var text: String {
      switch self {
      case .failed(let result): result.description
      case .programNotFound(let program, let path?): "no program \"\(program)\" was found in PATH (\(path))"
      case .programNotFound(let program, nil): "there is no program \"\(program)\""
      case .notExecutable(let program):
        "\(program) cannot be run: it is not executable, or not a program for this system"
      case .noDirectory(let path): "no program can be started in \(path): it is not a directory that can be entered"
      case .inputNotReadable(let path, let code): "\(path) cannot be the input of a program: \(systemText(of: code))"
      case .notRepresentable(let program, let part):
        "\(program) was not started: \(part) has characters that cannot be passed to a program"
      case .outputTooLarge(let program, let limit):
        "the output of \(program) is larger than the limit of \(limit) bytes"
      case .notStarted(let program, let code): "\(program) could not be started: \(systemText(of: code))"
      case .statusUnknown(let program): "\(program) has ended, but other code of this process has collected its status"
      }
    }
  }

  /// The system's text for an `errno`.
  private func systemText(of code: Int32) -> String {
    // Safe: the buffer is as long as the call is told, and the text ends in it.
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "errno \(code)" }
      let status = unsafe strerror_r(code, start, buffer.count)
      return status == 0 ? unsafe String(cString: start) : "errno \(code)"
    }
  }
#endif
