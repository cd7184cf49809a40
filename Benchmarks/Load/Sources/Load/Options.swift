import Foundation

/// The arguments of the program.
struct Options {
  var seconds = 60.0
  var interval = 0.0
  var scale = 1.0
  var promises = 1_000_000
  var file: String?
  var only: Set<String>?
  var fault: Fault?

  static let usage = """
    usage: Load [OPTION VALUE]...
      --seconds N      how long the loads run, 60 by default
      --interval N     the seconds between two lines of the file, by default a 360th of the run, and at least 1
      --scale X        multiplies all rates and populations except that of the promises, 1 by default
      --promises N     how many promises are pending all the time, 1000000 by default
      --file FILE      where the figures are written, as CSV
      --only A,B       only these loads
      --fault NAME     a condition under which the loads run, briefly: \(Fault.allCases.map(\.rawValue).joined(separator: ", "))
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw UsageError(text: "\(option): its value is missing") }
      switch option {
      case "--seconds": seconds = try Self.number(value, of: option)
      case "--interval": interval = try Self.number(value, of: option)
      case "--scale": scale = try Self.number(value, of: option)
      case "--promises": promises = Int(try Self.number(value, of: option))
      case "--file": file = value
      case "--only": only = Set(value.split(separator: ",").map(String.init))
      case "--fault":
        fault = Fault(rawValue: value)
        if fault == nil { throw UsageError(text: "\(value) is no fault") }
      default: throw UsageError(text: "\(option) is no option")
      }
    }
    if interval == 0 { interval = max(1, (seconds / 360).rounded()) }
  }

  private static func number(_ text: String, of option: String) throws -> Double {
    guard let number = Double(text), number > 0 else {
      throw UsageError(text: "\(option): \(text) is no number above 0")
    }
    return number
  }
}

struct UsageError: Error {
  var text: String
}
