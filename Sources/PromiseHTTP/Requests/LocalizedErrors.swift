public import Foundation

// Without these conformances, Foundation describes an error as "The operation could not be completed."

extension HTTPError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HTTPRequestError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension TransferError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension DownloadInterruptedError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
