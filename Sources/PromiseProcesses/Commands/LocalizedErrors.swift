public import Foundation

// Without these conformances, Foundation describes an error as "The operation could not be completed."

extension UncatchableSignalError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

#if os(macOS) || os(Linux)
  extension CommandError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
  }
#endif
