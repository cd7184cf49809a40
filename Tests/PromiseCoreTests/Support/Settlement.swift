import TestSupport
import Testing

/// The ways in which tests settle a promise of a number.
enum Settlement: CaseIterable, Sendable, CustomTestStringConvertible {
  case value, error

  var testDescription: String { isValue ? "value" : "error" }
  var isValue: Bool { self == .value }
  var status: Status<Int> { isValue ? .fulfilled(1) : .failed(1) }
  var result: Result<Int, any Error> { isValue ? .success(1) : .failure(TestError(1)) }

  func runsHandler(of kind: LinkKind) -> Bool { isValue ? kind.handlesValues : kind.handlesErrors }
  func schedulesJob(of kind: LinkKind) -> Bool { runsHandler(of: kind) || !isValue && kind.looksAtMark }
}

extension LinkKind {
  /// Returns the outcome of the derived promise. For an observer, returns the outcome of the promise itself.
  func expected(after settlement: Settlement, giving substitute: Int, throwing thrown: TestError?) -> Status<Int> {
    let runs = settlement.isValue ? handlesValues : handlesErrors
    if runs, mayThrow, let thrown { return .failed(thrown.number) }
    if runs, substitutes { return .fulfilled(substitute) }
    if runs, mapsErrors { return .failed(Self.mapped.number) }
    return settlement.status
  }
}
