#if os(macOS) || os(Linux)
  extension Command {
    /// The source of the standard input of a program, if it is neither bytes nor a file.
    public enum InputSource: Sendable {
      /// The program reads from `/dev/null`. This is the default.
      case nothing
      /// The program reads from the standard input of the calling process, for example from the terminal. If that is
      /// closed, the program reads from `/dev/null`.
      case inherited
      /// The program reads what ``RunningCommand/input`` writes while it runs. Only ``start(timers:fileID:line:)`` gives
      /// access to it. With ``run(timers:fileID:line:)`` and ``runToEnd(timers:fileID:line:)``, the program reads
      /// nothing.
      case streamed
    }

    /// The destination of the standard output or the standard error of a program.
    public enum OutputDestination: Sendable {
      /// Into the ``CommandResult``, in memory. This is the default.
      case collected
      /// To the reader of ``RunningCommand/output`` or ``RunningCommand/errorOutput``, while the program runs.
      case streamed
      /// To `/dev/null`.
      case discarded
      /// To the file that the calling process has as its standard output or standard error, for example the terminal.
      /// To `/dev/null` if that is closed.
      case inherited
    }

    /// Sets the source of the standard input of the program.
    ///
    /// A program in a process group of its own is stopped by the system when it reads from a terminal. So a program
    /// that asks the user also needs ``joiningProcessGroup()``.
    public func input(_ source: InputSource) -> Command {
      with { command in
        command.source =
          switch source {
          case .nothing: .nothing
          case .inherited: .inherited
          case .streamed: .streamed
          }
      }
    }

    /// Sets the destination of the standard output of the program. The default is ``OutputDestination/collected``.
    ///
    /// ```swift
    /// let build = Command("swift", ["build"]).output(.streamed).errorOutput(.inherited).start()
    /// defer { build.result.cancel() }
    /// for try await line in build.output.lines { print(line) }
    /// ```
    ///
    /// Unless the output is collected, ``CommandResult/output`` is empty. Only ``start(timers:fileID:line:)`` gives
    /// access to a streamed output. ``run(timers:fileID:line:)`` and ``runToEnd(timers:fileID:line:)`` discard it.
    public func output(_ destination: OutputDestination) -> Command { with { $0.output = destination } }

    /// Sets the destination of the standard error of the program, in the same way as ``output(_:)``.
    ///
    /// Unless standard error is collected, the message of ``CommandError/failed(_:)`` does not show its end. This
    /// undoes ``mergingErrorOutput()``.
    public func errorOutput(_ destination: OutputDestination) -> Command {
      with { command in
        command.errorOutput = destination
        command.mergesErrorOutput = false
      }
    }

    /// Makes the standard error of the program the same file as its standard output, as `2>&1` does in a shell. So both
    /// arrive in the order in which the program has written them.
    ///
    /// ```swift
    /// let log = Command("make", ["all"]).directory(project).mergingErrorOutput().acceptingAnyTermination().run()
    ///   .map { result in result.text }
    /// ```
    ///
    /// The destination is that of ``output(_:)``, whichever it is, or the next program of a pipeline.
    /// ``CommandResult/errorOutput`` is empty, and the message of ``CommandError/failed(_:)`` shows the end of both, if
    /// they are collected. A program that buffers its output may write in another order than its code says, because it
    /// usually buffers the standard output alone. A later ``errorOutput(_:)`` undoes this.
    public func mergingErrorOutput() -> Command {
      with { command in
        command.errorOutput = .discarded
        command.mergesErrorOutput = true
      }
    }

    /// Returns a command that runs this program and another at the same time, and passes the output of this program to
    /// the other program as its input.
    ///
    /// ```swift
    /// let authors = Command("git", ["log", "--format=%an"]).piped(to: Command("sort", ["-u"])).run()
    /// ```
    ///
    /// No shell is involved, and the bytes do not pass through the calling process. The result has the output of
    /// `next`. Methods that are called on the returned command change `next`. An output that was set for this command,
    /// and an input that was set for `next`, have no effect. ``RunningCommand/input`` writes to the first program. More
    /// programs follow with another `piped(to:)`.
    ///
    /// The promise is settled when both programs have ended. If this program fails, the promise is rejected with its
    /// error, also if `next` succeeds or fails. That `SIGPIPE` kills this program is no failure, because it only means
    /// that `next` has stopped reading. A cancellation stops both programs. If one of them cannot be found or started,
    /// the other does not start or is stopped. ``RunningCommand/end`` waits for both. Each program has a process group
    /// of its own.
    ///
    /// - Parameter next: the program that reads the output of this one.
    public func piped(to next: Command) -> Command { next.with { $0.source = .output(of: self) } }
  }
#endif
