#if os(macOS) || os(Linux)
  import Foundation
  import PromiseFoundation

  /// The reason why a ``Command`` failed.
  ///
  /// A `switch` over it needs a `default`, because a minor version may add cases.
  public enum CommandError: Error, Sendable {
    /// The program has exited with a status that the command does not accept, or a signal has killed it. The result has
    /// its output.
    case failed(CommandResult)
    /// No program has this name or path. `path` is the value of `PATH` in which the name was searched, or `nil` if
    /// `PATH` was not used.
    case programNotFound(String, path: String?)
    /// The file exists but cannot be run. Either this process has no permission, or the file is not a program for this
    /// system.
    case notExecutable(String)
    /// The directory for the program does not exist, is not a directory, or may not be entered.
    case noDirectory(String)
    /// The file for the standard input cannot be opened. `code` is the system's `errno`.
    case inputNotReadable(String, code: Int32)
    /// A part of the command cannot be passed to a program. Either an argument, a variable of the environment or a path
    /// contains a null character, or the name of a variable is empty or contains `=`. `part` names it, for example
    /// "argument 2".
    case notRepresentable(program: String, part: String)
    /// The program has written more than the limit, in bytes, to its standard output or its standard error. It was
    /// stopped.
    case outputTooLarge(program: String, limit: Int)
    /// The system did not start the program. `code` is its `errno`, for example `EMFILE` if too many files are open.
    case notStarted(program: String, code: Int32)
    /// A line of a streamed output is longer than the limit, in bytes. See ``CommandOutput/lines(maximumLength:)``.
    case lineTooLong(program: String, limit: Int)
    /// A piece of a streamed output is longer than the limit, in bytes. See
    /// ``CommandOutput/pieces(separatedBy:maximumLength:)``.
    case pieceTooLong(program: String, limit: Int)
    /// The program was started without ``Command/InputSource/streamed``, so nothing can be written to it.
    case inputNotStreamed(program: String)
    /// Bytes were not written, because the program has closed its standard input or has ended, or because the client has
    /// closed the input before. See ``CommandInput``.
    case inputClosed(program: String)
    /// The program was started without ``Command/OutputDestination/streamed`` for this output. `part` is "the standard
    /// output" or "the standard error".
    case outputNotStreamed(program: String, part: String)
    /// The output has another reader already. `part` is "the standard output" or "the standard error".
    case outputAlreadyRead(program: String, part: String)
    /// This process ignores `SIGCHLD` or has set `SA_NOCLDWAIT` for it, so the system keeps no exit status of a program.
    /// The program was not started.
    case childSignalIgnored(program: String)
    /// The program has ended, but other code of this process has collected its status, or has begun to ignore `SIGCHLD`
    /// while the program ran.
    case statusUnknown(program: String)
  }

  extension CommandError: CustomStringConvertible {
    /// One line that says what went wrong and names the program. Arguments are left out, because they may be secrets.
    public var description: String { text.inOneLine }

    private var text: String {
      switch self {
      case .failed(let result): result.description
      case .programNotFound(let program, let path?): "no program \"\(program)\" was found in PATH (\(path))"
      case .programNotFound(let program, nil): "there is no program \"\(program)\""
      case .notExecutable(let program):
        "\(program) cannot be run: it is not executable, or not a program for this system"
      case .noDirectory(let path): "no program can be started in \(path): it is not a directory that can be entered"
      case .inputNotReadable(let path, let code): "\(path) cannot be the input of a program: \(SystemError(code))"
      case .notRepresentable(let program, let part):
        "\(program) was not started: \(part) has characters that cannot be passed to a program"
      case .outputTooLarge(let program, let limit):
        "the output of \(program) is larger than the limit of \(limit) bytes"
      case .lineTooLong(let program, let limit):
        "a line in the output of \(program) is longer than the limit of \(limit) bytes"
      case .pieceTooLong(let program, let limit):
        "a piece of the output of \(program) is longer than the limit of \(limit) bytes"
      case .inputNotStreamed(let program):
        "the standard input of \(program) is not streamed: start the command with input(.streamed)"
      case .inputClosed(let program): "bytes were not written to \(program), because its standard input is closed"
      case .outputNotStreamed(let program, let part):
        "\(part) of \(program) is not streamed: start the command with output(.streamed) or errorOutput(.streamed)"
      case .outputAlreadyRead(let program, let part):
        "\(part) of \(program) has another reader already: keep one iterator, and use it from one Task at a time"
      case .notStarted(let program, let code): "\(program) could not be started: \(SystemError(code))"
      case .childSignalIgnored(let program):
        "\(program) was not started: this process ignores SIGCHLD, so the system keeps no exit status for it"
      case .statusUnknown(let program): "\(program) has ended, but other code of this process has collected its status"
      }
    }
  }
#endif
