import PromiseCore

extension Deferred {
  /// Reports the progress as a share. Reports nothing if the total is unknown, which is zero or less.
  func report(_ completed: Int64, of total: Int64) {
    if total > 0 { report(progress: Double(completed) / Double(total)) }
  }
}
