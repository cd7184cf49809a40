#if os(macOS) || os(Linux)
  import Foundation
  public import PromiseContexts
  import PromiseCore

  extension Command {
    /// Starts the program, and returns promises for its result and its end, and its streamed input and output.
    ///
    /// The program is started, stopped and observed as by ``run(timers:fileID:line:)``. ``RunningCommand`` shows how to
    /// use them.
    ///
    /// - Parameters:
    ///   - timers: the timers that measure the grace period. In a `TestWorld`, the default is the clock of that world.
    ///     The program itself runs in real time.
    ///   - fileID: the file where the promises were made, for errors and diagnostics.
    ///   - line: the line where the promises were made.
    public func start(
      timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
    ) -> RunningCommand {
      start(observingExitBy: .default, timers: timers, from: CreationSite(fileID: fileID, line: line))
    }

    /// - Parameter exit: the way in which the end of the program is noticed. Tests use each way.
    func start(
      observingExitBy exit: ExitObservation, timers: any TimerContext = .standard,
      from site: CreationSite = CreationSite()
    ) -> RunningCommand {
      start(readingFrom: streamedInput, writingTo: nil, observingExitBy: exit, timers: timers, from: site)
    }

    /// The input of the first program of the pipeline, if its client writes it.
    private var streamedInput: InputChannel? {
      switch source {
      case .streamed: InputChannel(of: program)
      case .output(of: let former): former.streamedInput
      default: nil
      }
    }

    /// - Parameters:
    ///   - input: what the client writes to the first program of the pipeline.
    ///   - pipe: the standard output of a program whose output another program reads.
    ///   - exit: the way in which the end of the program is noticed. Tests use each way.
    func start(
      readingFrom input: InputChannel?, writingTo pipe: Descriptor?, observingExitBy exit: ExitObservation,
      timers: any TimerContext, from site: CreationSite
    ) -> RunningCommand {
      let client = ProgramClient(of: self, readingFrom: input, writesToPipe: pipe != nil, from: site)
      let child = makeChild(for: client, writingTo: pipe, observingExitBy: exit, timers: timers, from: site)
      child.start()
      return RunningCommand(child.result, client, of: self, run: child)
    }

    /// Runs the program, and returns or throws when it has ended, also if the Task is cancelled.
    ///
    /// ```swift
    /// let deployed = gate.asyncRun { try await Command("deploy", [version]).runToEnd() }
    /// ```
    ///
    /// If the Task is cancelled, the program is stopped as by a cancellation of ``run(timers:fileID:line:)``. When it
    /// has ended, with all processes of its group, this throws `CancellationError`. So a gate does not call the next
    /// closure while the program of a cancelled one still runs. After a success, it also waits for what the program has
    /// left in the background, which `run().value(cancelsSource: true)` does not. A cancellation does not end that wait.
    ///
    /// What counts as the end is said at ``RunningCommand/end``.
    ///
    /// - Parameters:
    ///   - timers: the timers that measure the grace period. In a `TestWorld`, the default is the clock of that world.
    ///     The program itself runs in real time.
    ///   - fileID: the file where the program was started, for errors and diagnostics.
    ///   - line: the line where the program was started.
    /// - Throws: what the promise of ``run(timers:fileID:line:)`` is rejected with.
    public nonisolated(nonsending) func runToEnd(
      timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> CommandResult {
      try Task.checkCancellation()
      // This call returns no stream, so nothing could read one, and the program would wait for its reader.
      let unread = with {
        if case .streamed = $0.output { $0.output = .discarded }
        if case .streamed = $0.errorOutput { $0.errorOutput = .discarded }
      }
      let command = unread.start(timers: timers, fileID: fileID, line: line)
      command.input.close()
      let outcome: Result<CommandResult, any Error>
      do { outcome = .success(try await command.result.value(cancelsSource: true)) } catch { outcome = .failure(error) }
      // A Task that is cancelled cannot wait for `value` of a promise.
      await withCheckedContinuation { continuation in
        command.ended.whenSettled { continuation.resume() }
      }
      return try outcome.get()
    }
  }
#endif
