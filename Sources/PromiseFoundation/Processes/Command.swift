#if os(macOS) || os(Linux)
  public import Foundation

  /// A program with its arguments: what ``run(timers:fileID:line:)`` starts as a process of its own.
  ///
  /// ```swift
  /// let branch = Command("git", ["branch", "--show-current"])
  ///   .directory(project)
  ///   .run()
  ///   .map { result in result.text }
  /// ```
  ///
  /// A value, which each method copies and changes. Nothing is checked before `run`: what is wrong rejects the promise,
  /// with a ``CommandError`` that says what. No shell is involved, so that spaces, quotes and wildcards in arguments
  /// have no meaning. Where a shell is wanted, it is the program: `Command("sh", ["-c", script])`.
  public struct Command: Sendable {
    let program: String
    let arguments: [String]
    var changedEnvironment: [String: String] = [:]
    var inheritsEnvironment = true
    var directory: URL?
    var input = Input.nothing
    var outputLimit = Self.defaultMaximumOutput
    var accepted: ClosedRange<Int32>? = 0...0
    var gracePeriod = Duration.seconds(5)
    var joinsProcessGroup = false

    enum Input: Sendable {
      case nothing
      case data(Data)
      case file(URL)
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - program: a name without a slash is searched in the absolute folders of `PATH`, which is that of the
    ///     program's environment. A path with a slash is taken as it is. If it is relative, it starts from the
    ///     program's directory.
    ///   - arguments: passed to the program as they are, after its name.
    public init(_ program: String, _ arguments: [String] = []) {
      self.program = program
      self.arguments = arguments
    }

    /// Sets variables of the program's environment.
    ///
    /// - Parameters:
    ///   - variables: are added to those that were set before, and replace those of the same name.
    ///   - inherits: whether the program also gets the environment of the calling process.
    public func environment(_ variables: [String: String], inherits: Bool = true) -> Command {
      with { command in
        command.changedEnvironment.merge(variables) { _, new in new }
        command.inheritsEnvironment = inherits
      }
    }

    /// Sets the directory in which the program starts. Without it, that is the current directory of the calling
    /// process.
    public func directory(_ directory: URL) -> Command { with { $0.directory = directory } }

    /// Writes bytes to the standard input of the program, and closes it. Without an input, the program reads from
    /// `/dev/null`.
    ///
    /// If the program stops reading, the rest is not written, and that is no error.
    public func input(_ data: Data) -> Command { with { $0.input = .data(data) } }

    /// Writes text to the standard input of the program, as UTF-8, and closes it.
    public func input(_ text: String) -> Command { input(Data(text.utf8)) }

    /// Opens a file as the standard input of the program.
    public func input(fileAt file: URL) -> Command { with { $0.input = .file(file) } }

    /// Limits standard output and standard error to this many bytes each. Without it, the limit is
    /// ``defaultMaximumOutput``; `.max` is no limit.
    ///
    /// If the program writes more, the promise is rejected with ``CommandError/outputTooLarge(program:limit:)``, and
    /// the program is stopped as if the promise had been cancelled.
    public func maximumOutput(_ bytes: Int) -> Command { with { $0.outputLimit = bytes } }

    /// The limit for each kind of output where none is given: 256 MiB.
    public static let defaultMaximumOutput = 256 << 20

    /// Sets the exit statuses that are no errors, in place of 0.
    public func accepting(_ statuses: ClosedRange<Int32>) -> Command { with { $0.accepted = statuses } }

    /// Fulfils the promise however the program ends, also if a signal kills it. See ``CommandResult/termination``.
    public func acceptingAnyTermination() -> Command { with { $0.accepted = nil } }

    /// Sets how long a cancelled program may take to end after `SIGTERM`, before it gets `SIGKILL`. Without it, that is
    /// five seconds.
    ///
    /// It is also how long the promise waits for output if the program has ended, and another process still holds its
    /// output open.
    public func gracePeriod(_ duration: Duration) -> Command { with { $0.gracePeriod = duration } }

    /// Starts the program in the process group of the calling process, so that Ctrl-C on the terminal reaches both.
    ///
    /// Without it, the program leads a process group of its own. Then Ctrl-C reaches only the calling process, and a
    /// cancellation stops the program together with the processes that it has started. With it, a cancellation stops
    /// the program alone.
    public func joiningProcessGroup() -> Command { with { $0.joinsProcessGroup = true } }

    private func with(_ change: (inout Command) -> Void) -> Command {
      var command = self
      change(&command)
      return command
    }
  }
#endif
