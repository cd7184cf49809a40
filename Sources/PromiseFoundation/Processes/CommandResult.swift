#if os(macOS) || os(Linux)
  public import Foundation

  /// How a program ended, and what it wrote.
  public struct CommandResult: Sendable {
    /// How a program ended.
    public enum Termination: Sendable, Hashable {
      /// The program has exited with this status.
      case exited(status: Int32)
      /// A signal with this number has killed the program.
      case killed(signal: Int32)
    }

    /// The program, as it was written in the command.
    public let program: String
    /// How the program ended.
    public let termination: Termination
    /// What the program wrote to its standard output.
    public let output: Data
    /// What the program wrote to its standard error.
    public let errorOutput: Data

    /// The exit status; `nil`, if a signal has killed the program.
    public var status: Int32? {
      switch termination {
      case .exited(let status): status
      case .killed: nil
      }
    }

    /// The standard output as text, without line breaks at its end, as `$(…)` in a shell. What is not UTF-8 is
    /// replaced.
    public var text: String { output.trimmedText }

    /// The standard error as text, likewise.
    public var errorText: String { errorOutput.trimmedText }
  }

  extension CommandResult: CustomStringConvertible {
    /// Says in one line how the program ended, with the end of its standard error. URLs are shortened: see
    /// ``/PromiseCore/Diagnostics/showsWholeURLs``.
    public var description: String { "\(program) \(termination)\(excerpt)".inOneLine }

    /// The end of standard error, where programs say what is wrong.
    private var excerpt: String {
      // URLs are shortened before the text is cut, because a URL without its beginning could not be recognised.
      let text = shorteningURLs(in: errorText).inOneLine
      guard !text.isEmpty else { return "" }
      return text.count > 200 ? ": …\(text.suffix(200))" : ": \(text)"
    }
  }

  extension CommandResult.Termination: CustomStringConvertible {
    /// For example "exited with status 1".
    public var description: String {
      switch self {
      case .exited(let status): return "exited with status \(status)"
      case .killed(let signal):
        // Safe: the text is copied at once, and no other thread changes it.
        return unsafe "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
      }
    }

    /// - Parameter status: what `waitpid` has given for a process that has ended.
    init(waitStatus status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
    }
  }

  extension Data {
    fileprivate var trimmedText: String {
      var text = Substring(decoding: self, as: UTF8.self)
      while text.last?.isNewline == true { text.removeLast() }
      return String(text)
    }
  }
#endif
