/// What was done so far, also by lanes that were stopped half way.
actor Tally {
  private(set) var summary = Summary()
  /// The number of bytes to read, once they are counted.
  private var total: Int?

  func expect(bytes: Int) { total = bytes }

  /// The fraction of the bytes that is done, 0…1, as far as it is known.
  func add(_ report: FileReport) -> Double {
    summary = summary + report
    guard let total, total > 0 else { return 0 }
    return Double(summary.bytes) / Double(total)
  }
}
