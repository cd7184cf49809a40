public import Foundation

// Frameworks for tests print the `localizedDescription` of an error that a test has thrown.

extension WorldReport: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension ScheduleFailure: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension NondeterminismError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
