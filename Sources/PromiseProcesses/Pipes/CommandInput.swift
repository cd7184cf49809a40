#if os(macOS) || os(Linux)
  public import Foundation
  public import PromiseCore
  import PromiseFoundation

  /// The standard input of a running program, for a conversation with it.
  ///
  /// ```swift
  /// let calculator = Command("bc").input(.streamed).output(.streamed).start()
  /// defer { calculator.result.cancel() }
  /// var answers = calculator.output.lines.makeAsyncIterator()
  /// try await calculator.input.write("6 * 7\n").value
  /// let answer = try await answers.next()
  /// calculator.input.close()
  /// ```
  ///
  /// The bytes of all calls reach the program in the order of the calls. Those that are not written yet are in memory.
  ///
  /// - **Back-pressure**: A pipe holds 64 KiB on Linux. If it is full, the promise of a call is pending until the program
  ///   has read enough. So wait for the promise before the next call. A program that waits until its own output is read
  ///   does not read, so write and read in two Tasks, unless each question and its answer are small.
  /// - **A program that stops reading**, or has ended, rejects what was not written with
  ///   ``CommandError/inputClosed(program:)``. The calling process never receives `SIGPIPE`. If the program could not be
  ///   started, the error is that of the result.
  /// - **Cancelling the result** of the ``RunningCommand`` cancels what was not written, with the same reason.
  /// - **The end**: ``close()`` lets the program find the end of its input behind what was written. The same happens when
  ///   the last copy of this value, and of the ``RunningCommand``, is released. Many programs end only then.
  ///
  /// If the input is not streamed, a call is rejected with ``CommandError/inputNotStreamed(program:)``.
  public struct CommandInput: Sendable {
    let program: String
    /// `nil` if the input is not streamed.
    let writer: InputClient?

    /// Writes bytes to the program, and returns a promise that is fulfilled when all of them are in the pipe.
    ///
    /// The program may read them later. A call before the program has started waits for the start. Handlers of the
    /// promise run on their contexts, and never inside this call.
    ///
    /// A cancellation of the promise takes the bytes back, if none of them is in the pipe. Otherwise the rest is written
    /// nevertheless, so that the program does not receive half of a message, and the promise has finished when it is
    /// (rule 2.11). The progress is the share of the bytes that are in the pipe.
    ///
    /// The call takes constant time, except that a cancellation looks for the bytes among those of calls that wait.
    ///
    /// - Parameters:
    ///   - data: the bytes. Without bytes, the promise is fulfilled when those of earlier calls are written.
    ///   - fileID: the file of the call, for errors and diagnostics.
    ///   - line: the line of the call.
    /// - Returns: a promise that is rejected if the bytes cannot be written. ``CommandInput`` lists the errors.
    @discardableResult
    public func write(_ data: Data, fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
      let site = CreationSite(fileID: fileID, line: line)
      guard let writer else {
        let deferred = Deferred<Void>(at: site)
        deferred.rejectIfPending(with: CommandError.inputNotStreamed(program: program))
        return deferred.promise
      }
      return writer.channel.write(data, at: site)
    }

    /// Writes text to the program, as UTF-8, in the same way as ``write(_:fileID:line:)-(Data,_,_)``. No line break is
    /// added.
    @discardableResult
    public func write(_ text: String, fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
      write(Data(text.utf8), fileID: fileID, line: line)
    }

    /// Lets the program find the end of its input behind everything that was written. Later calls of
    /// ``write(_:fileID:line:)-(Data,_,_)`` are rejected. Further calls have no effect.
    public func close() { writer?.channel.close() }
  }
#endif
