extension Log {
  /// Appends the entry, and then evaluates and returns the result. Closures log their calls with it.
  public func append<Result>(_ entry: Entry, returning result: @autoclosure () throws -> Result) rethrows -> Result {
    append(entry)
    return try result()
  }
}
