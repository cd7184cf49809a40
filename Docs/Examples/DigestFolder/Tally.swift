/// Adds up the reports of all lanes. It keeps the summary even when the lanes are stopped.
actor Tally {
  private(set) var summary = Summary()
  /// The size of all files in bytes, or `nil` until it is counted.
  private var total: Int?

  func expect(bytes: Int) { total = bytes }

  /// Adds a report, and returns the fraction of the bytes that is done, 0…1. Returns 0 until the bytes are counted.
  func add(_ report: FileReport) -> Double {
    summary = summary + report
    guard let total, total > 0 else { return 0 }
    return Double(summary.bytes) / Double(total)
  }
}
