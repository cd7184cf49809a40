public import Foundation
public import PromiseCore

// Without these conformances, Foundation describes an error of the library as "The operation could not be completed.
// (PromiseCore.PromiseError error 3.)". They are here, because PromiseCore must run without Foundation. So they take
// effect in each program that contains PromiseFoundation, whatever it imports.

extension PromiseError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension ThreadEndedError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
