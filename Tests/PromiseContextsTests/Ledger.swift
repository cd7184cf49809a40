/// An actor whose handlers write to it without `await`.
actor Ledger {
  private(set) var lines: [String] = []
  func write(_ line: String) { lines.append(line) }
}
