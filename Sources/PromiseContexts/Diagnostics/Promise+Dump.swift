public import PromiseCore

extension Promise {
  /// Prints the outcome when the promise is settled, to show what happens in a chain. Returns this promise.
  ///
  /// ```swift
  /// let name = user(1).dump("user").map { $0.name }.dump()
  /// ```
  ///
  /// prints, to standard error:
  ///
  ///     App/Names.swift:7: user: Promise<User>, fulfilled: User(id: 1, name: "Ada")
  ///     App/Names.swift:7: Promise<String>, fulfilled: Ada
  ///
  /// The line is printed on ``ExecutionContext/pool`` after the promise is settled, even if it is cancelled. Lines
  /// about different promises may therefore come in another order than their outcomes. A value or an error is described
  /// in one line of at most 60 characters, with shortened URLs (`Diagnostics.showsWholeURLs`).
  ///
  /// Printing has no other effect. It derives no promise. It is not a consumer, so it does not keep work going
  /// (rule 4.0). It does not handle a rejection, so that is still reported as unhandled (rule 7.1). The promise does
  /// not wait for it.
  ///
  /// - Parameters:
  ///   - label: names the promise in the line.
  ///   - printer: prints a line, which has no line break. The default writes to standard error.
  ///   - fileID: the file with which the printed line begins.
  ///   - line: the line in that file.
  /// - Complexity: O(1), and the complexity of describing the value.
  @discardableResult
  public func dump(
    _ label: String? = nil, to printer: (@Sendable (String) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    describeWhenSettled(on: .pool) { outcome in
      let text = "\(site): \(label.map { "\($0): " } ?? "")\(outcome)"
      if let printer { printer(text) } else { writeToStandardError(text + "\n") }
    }
    return self
  }
}

extension PromiseView {
  /// Prints the outcome when the promise is settled, as `dump` of the promise does. Returns this view.
  @discardableResult
  public func dump(
    _ label: String? = nil, to printer: (@Sendable (String) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    promise.dump(label, to: printer, fileID: fileID, line: line)
    return self
  }
}
