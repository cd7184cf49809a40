import PromiseCore

extension Recorder {
  /// Records the promises that are made in the closure, and writes a page of the recording if the closure throws.
  ///
  /// ```swift
  /// let text = try recorder.record {
  ///   try server.page("weather").waitForValue(within: .seconds(5))
  /// } writingTo: { page in
  ///   try page.write(toFile: "weather.html", atomically: true, encoding: .utf8)
  /// }
  /// ```
  ///
  /// It is for tests and tools, whose waits end with an error when their time is up. The page then shows what was
  /// pending. The promises are recorded that the method without `writingTo` records. In tests, call
  /// `Recorder.writeTemporaryPage` of PromiseTesting. This module does not write files itself, because it needs no
  /// Foundation.
  ///
  /// - Parameters:
  ///   - title: the heading of the page. With `nil`, the error in one line.
  ///   - body: the code that is recorded.
  ///   - write: receives the page, if the code has thrown, on the same thread.
  /// - Returns: the result of the code.
  /// - Throws: the error of the code. If `write` throws as well, ``PageWriteError``, which has both errors.
  /// - Complexity: O(*n*), where *n* is the number of events, if the code throws.
  public func record<Result>(
    title: String? = nil, _ body: () throws -> Result, writingTo write: (_ page: String) throws -> Void
  ) throws -> Result {
    do { return try record(body) } catch {
      throw self.error(afterWriting: title, error, to: write)
    }
  }

  /// Records the promises that are made in an async closure, and writes a page if the closure throws. The closures run
  /// on the caller's actor. Otherwise as the method for ordinary closures.
  public nonisolated(nonsending) func record<Result>(
    title: String? = nil, _ body: nonisolated(nonsending) () async throws -> Result,
    writingTo write: (_ page: String) throws -> Void
  ) async throws -> Result {
    do { return try await record(body) } catch {
      throw self.error(afterWriting: title, error, to: write)
    }
  }

  /// Writes the page. Returns the error to throw.
  private func error(
    afterWriting title: String?, _ error: any Error, to write: (_ page: String) throws -> Void
  ) -> any Error {
    do {
      try write(recording.page(title: title ?? oneLine(error)))
      return error
    } catch let writeError {
      return PageWriteError(error: error, writeError: writeError)
    }
  }
}

/// The error for code that has failed while it was recorded, and whose page could not be written.
public struct PageWriteError: Error, CustomStringConvertible {
  /// The error of the code.
  public let error: any Error
  /// The error of the closure that was to write the page.
  public let writeError: any Error

  /// Both errors.
  public var description: String {
    "\(oneLine(error)); the page of the recording could not be written: \(oneLine(writeError))"
  }
}
