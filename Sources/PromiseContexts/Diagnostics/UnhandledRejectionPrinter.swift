package import PromiseCore

/// Prints unhandled rejections, once for each place that made such promises.
///
/// PromiseCore finds this class by its name.
package final class UnhandledRejectionPrinter: @unchecked Sendable {
  private static let shared = UnhandledRejectionPrinter(sink: writeToStandardError)
  private static let sharedForHints = UnhandledRejectionPrinter(sink: writeToStandardError)

  // `@unchecked`: `printed` is touched under the lock only.
  private var printed: Set<CreationSite> = []
  private let lock = ShortLock()
  private let sink: @Sendable (String) -> Void

  /// - Parameter sink: gets each line, with its end.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// Prints the report, unless one of a promise made at the same place was printed before.
  package func print(_ report: UnhandledRejection) {
    print(report.hint, about: report.createdAt)
  }

  /// Prints the line, unless one was printed about the same place before.
  package func print(_ hint: String, about site: CreationSite) {
    if lock.locked({ printed.insert(site).inserted }) { sink("Promises: \(hint)\n") }
  }
}

extension UnhandledRejectionPrinter: UnhandledRejectionPrinting {
  package static func print(_ report: UnhandledRejection) { shared.print(report) }
  package static func print(_ hint: String, about site: CreationSite) { sharedForHints.print(hint, about: site) }
}
