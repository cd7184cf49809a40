import TestSupport
import Testing

/// Collects the reports that come while a test runs its code, and presents them in a comparable form.
struct Reports: Sendable {
  let rejections = Log<UnhandledRejection>()
  let settlements = Log<SecondSettlement>()

  /// Runs the code in a scope of its own. The code must release its promises before it returns.
  func collect<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Diagnostics.scoped(
      unhandledRejection: { rejections.append($0) }, secondSettlement: { settlements.append($0) }, body)
  }

  /// The unhandled rejections, each with its error and the line of its promise.
  var unhandled: [Unhandled] { rejections.entries.map { Unhandled($0.error, line: $0.createdAt.line) } }

  /// Returns the rejections that the code leaves unhandled.
  static func unhandled(_ body: () throws -> Void) rethrows -> [Unhandled] {
    let reports = Reports()
    try reports.collect(body)
    return reports.unhandled
  }
}

/// Expects that the code leaves exactly these rejections unhandled.
func expectUnhandled(
  _ expected: [Unhandled], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  in body: () throws -> Void
) rethrows {
  let reports = try Reports.unhandled(body)
  #expect(reports == expected, comment, sourceLocation: sourceLocation)
}

struct Unhandled: Equatable {
  /// The number of a `TestError`, or the name of the case of a `PromiseError`.
  let error: String
  let line: Int

  init(_ error: any Error, line: Int) {
    let name =
      (error as? TestError).map { "\($0.number)" } ?? "\(Mirror(reflecting: error).children.first?.label ?? "?")"
    self.init(name, line: line)
  }

  init(_ error: String, line: Int) { (self.error, self.line) = (error, line) }

  init(_ error: Int, line: Int) { self.init("\(error)", line: line) }
}
