#if os(macOS) || os(Linux)
  public import Foundation

  /// A program with its arguments, which ``run(timers:fileID:line:)`` starts as a child process.
  ///
  /// ```swift
  /// let branch = Command("git", ["branch", "--show-current"])
  ///   .directory(project)
  ///   .run()
  ///   .map { result in result.text }
  /// ```
  ///
  /// A command is a value. Each method returns a changed copy. A mistake in a command is not found before `run`. Then
  /// it rejects the promise with a ``CommandError``. No shell is involved, so spaces, quotes and wildcards in arguments
  /// have no special meaning. To use a shell, start it as the program, as in `Command("sh", ["-c", script])`.
  public struct Command: Sendable {
    let program: String
    /// The bytes of each argument.
    var arguments: [Data]
    /// The variables that are set, and with `nil` those that are removed.
    var changedEnvironment: [String: String?] = [:]
    var inheritsEnvironment = true
    var directory: URL?
    var source = Source.nothing
    var output = OutputDestination.collected
    var errorOutput = OutputDestination.collected
    /// Whether the standard error is the same file as the standard output.
    var mergesErrorOutput = false
    var outputLimit = Self.defaultMaximumOutputSize
    var accepted: ClosedRange<Int32>? = 0...0
    var gracePeriod = Duration.seconds(5)
    var joinsProcessGroup = false

    /// The source of the standard input.
    indirect enum Source: Sendable {
      case nothing
      case inherited
      /// What ``RunningCommand/input`` writes.
      case streamed
      case data(Data)
      case file(URL)
      case output(of: Command)
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - program: a name or a path. A name without a slash is searched in the absolute folders of the `PATH` of the
    ///     program's environment. A path with a slash is not searched. If it is relative, it starts from the program's
    ///     directory.
    ///   - arguments: the arguments after the program's name. They are passed unchanged, as UTF-8.
    public init(_ program: String, _ arguments: [String] = []) {
      self.program = program
      self.arguments = arguments.map { Data($0.utf8) }
    }

    /// Adds arguments that need not be text, such as names of files. They follow the arguments that the command has.
    ///
    /// ```swift
    /// let packed = Command("gzip", ["--keep", "--"]).arguments(names).run()
    /// ```
    ///
    /// - Parameter bytes: the bytes of each argument, without a null character. They are passed unchanged.
    public func arguments(_ bytes: [Data]) -> Command { with { $0.arguments += bytes } }

    /// Adds arguments, as UTF-8. They follow the arguments that the command has.
    public func arguments(_ text: [String]) -> Command { arguments(text.map { Data($0.utf8) }) }

    /// Sets and removes variables of the program's environment.
    ///
    /// ```swift
    /// let status = Command("git", ["status"]).environment(["LANG": "C", "GIT_DIR": nil]).directory(project).run()
    /// ```
    ///
    /// They are added to variables that were set before, and replace those of the same name. A program also inherits
    /// the environment of the calling process, unless an earlier call of ``environment(_:inherits:)`` has said
    /// otherwise. Inherited entries are passed unchanged, also if they are not valid UTF-8.
    ///
    /// - Parameter variables: variables with their values. A variable whose value is `nil` is removed, whether it is
    ///   inherited or was set before.
    public func environment(_ variables: [String: String?]) -> Command {
      with { $0.changedEnvironment.merge(variables) { _, new in new } }
    }

    /// Sets and removes variables of the program's environment, and says whether it inherits that of the calling
    /// process.
    ///
    /// - Parameters:
    ///   - variables: variables with their values. They are added to variables that were set before, and replace those
    ///     of the same name. A variable whose value is `nil` is removed.
    ///   - inherits: whether the program also gets the other variables of the calling process. It replaces what earlier
    ///     calls have said.
    public func environment(_ variables: [String: String?], inherits: Bool) -> Command {
      environment(variables).with { $0.inheritsEnvironment = inherits }
    }

    /// Sets the directory in which the program starts. The default is the current directory of the calling process.
    public func directory(_ directory: URL) -> Command { with { $0.directory = directory } }

    /// Writes bytes to the standard input of the program, and closes it. Without an input, the program reads from
    /// `/dev/null`.
    ///
    /// If the program stops reading, the rest is not written. That is not an error.
    public func input(_ data: Data) -> Command { with { $0.source = .data(data) } }

    /// Writes text to the standard input of the program, as UTF-8, and closes it.
    public func input(_ text: String) -> Command { input(Data(text.utf8)) }

    /// Opens a file as the standard input of the program.
    ///
    /// If the file is a named pipe, the program starts when another process has written to it, or has closed it without
    /// writing. No thread waits for that.
    public func input(fileAt file: URL) -> Command { with { $0.source = .file(file) } }

    /// Limits standard output and standard error to this number of bytes each, as far as they are collected. The
    /// default is ``defaultMaximumOutputSize``. `.max` means no limit.
    ///
    /// If the program writes more, the promise is rejected with ``CommandError/outputTooLarge(program:limit:)``, and
    /// the program is stopped as if the promise had been cancelled.
    public func maximumOutputSize(_ bytes: Int) -> Command { with { $0.outputLimit = bytes } }

    /// The default limit for each kind of output, which is 256 MiB.
    public static let defaultMaximumOutputSize = 256 << 20

    /// Sets the exit statuses that are no errors, in place of 0.
    public func accepting(_ statuses: ClosedRange<Int32>) -> Command { with { $0.accepted = statuses } }

    /// Lets any termination of the program fulfil the promise, also by a signal. See ``CommandResult/termination``.
    public func acceptingAnyTermination() -> Command { with { $0.accepted = nil } }

    /// Sets the time between `SIGTERM` and `SIGKILL` when a cancelled program, or a process that it has started, does
    /// not end. The default is five seconds.
    ///
    /// It is also the time for which the promise waits for output when the program has ended and another process still
    /// holds the output open.
    public func gracePeriod(_ duration: Duration) -> Command { with { $0.gracePeriod = duration } }

    /// Starts the program in the process group of the calling process, so that Ctrl-C on the terminal reaches both.
    ///
    /// By default, the program leads a process group of its own. Then Ctrl-C reaches only the calling process, and a
    /// cancellation stops the program together with the processes that it has started. After this call, a cancellation
    /// stops only the program itself.
    public func joiningProcessGroup() -> Command { with { $0.joinsProcessGroup = true } }

    func with(_ change: (inout Command) -> Void) -> Command {
      var command = self
      change(&command)
      return command
    }
  }
#endif
