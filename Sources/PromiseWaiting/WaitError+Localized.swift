public import Foundation

// Frameworks for tests print the `localizedDescription` of an error that a test has thrown.

extension WaitError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
