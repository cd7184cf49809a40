#if os(macOS) || os(Linux)
  public import Foundation
  import PromiseFoundation

  /// The termination of a program, and its output.
  public struct CommandResult: Sendable {
    /// The way in which a program ended.
    public enum Termination: Sendable, Hashable {
      /// The program has exited with this status.
      case exited(status: Int32)
      /// A signal with this number has killed the program.
      case killed(signal: Int32)
    }

    /// The program, as it was written in the command.
    public let program: String
    /// The way in which the program ended.
    public let termination: Termination
    /// The standard output of the program. Empty unless it was collected. See ``Command/output(_:)``. After
    /// ``Command/mergingErrorOutput()``, it has the standard error, too.
    public let output: Data
    /// The standard error of the program. Empty unless it was collected. See ``Command/errorOutput(_:)``.
    public let errorOutput: Data
    /// Whether ``output`` has the standard error, too.
    var mergesErrorOutput = false

    /// The exit status, or `nil` if a signal has killed the program.
    public var status: Int32? {
      switch termination {
      case .exited(let status): status
      case .killed: nil
      }
    }

    /// The standard output as text. Line breaks at its end are removed, as by `$(…)` in a shell. Bytes that are not
    /// UTF-8 are replaced by U+FFFD.
    public var text: String { output.trimmedText }

    /// The standard error as text, converted as ``text`` is.
    public var errorText: String { errorOutput.trimmedText }
  }

  extension CommandResult: CustomStringConvertible {
    /// One line that says how the program ended, with the end of its standard error. URLs are shortened. See
    /// ``/PromiseCore/Diagnostics/showsWholeURLs``.
    public var description: String { "\(program) \(termination)\(excerpt)".inOneLine }

    /// The end of standard error, where programs usually write the reason of a failure.
    private var excerpt: String {
      // The beginning of the output, which may be large, is not decoded. URLs are shortened before the text is cut,
      // because a URL without its beginning could not be recognised. So the bytes begin behind white space, too.
      let errors = mergesErrorOutput ? output : errorOutput
      var bytes = errors.suffix(16 << 10)
      let isCut = bytes.count < errors.count
      if isCut { bytes = bytes.drop { !" \t\r\n".utf8.contains($0) } }
      let text = shorteningURLs(in: bytes.trimmedText).inOneLine
      guard isCut || !text.isEmpty else { return "" }
      return isCut || text.count > 200 ? ": …\(text.suffix(200))" : ": \(text)"
    }
  }

  extension CommandResult.Termination: CustomStringConvertible {
    /// The termination in words, for example "exited with status 1".
    public var description: String {
      switch self {
      case .exited(let status): return "exited with status \(status)"
      case .killed(let signal):
        // Safe, because the text is copied at once, and no other thread changes it.
        return unsafe "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
      }
    }

    /// - Parameter status: the status that `waitpid` returned for a process that has ended.
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
