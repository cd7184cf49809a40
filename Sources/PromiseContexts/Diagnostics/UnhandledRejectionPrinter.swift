package import PromiseCore

/// Prints unhandled rejections, once for each creation site.
package final class UnhandledRejectionPrinter: @unchecked Sendable {
  fileprivate static let shared = UnhandledRejectionPrinter(sink: writeToStandardError)
  fileprivate static let sharedForHints = UnhandledRejectionPrinter(sink: writeToStandardError)

  // `@unchecked Sendable`, because `printed` is used under the lock only.
  private var printed: Set<CreationSite> = []
  private let lock = ShortLock()
  private let sink: @Sendable (String) -> Void

  /// Creates a printer that has printed nothing.
  ///
  /// - Parameter sink: gets each line, which ends with a line break.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// Prints the report, unless a report with the same creation site was printed before.
  package func print(_ report: UnhandledRejection) {
    print(report.hint, about: report.createdAt)
  }

  /// Prints the line, unless a line about the same site was printed before.
  package func print(_ hint: String, about site: CreationSite) {
    if lock.locked({ printed.insert(site).inserted }) { sink("Promises: \(hint)\n") }
  }
}

private enum Services: ContextServicing {
  static func print(_ report: UnhandledRejection) { UnhandledRejectionPrinter.shared.print(report) }
  static func print(_ hint: String, about site: CreationSite) {
    UnhandledRejectionPrinter.sharedForHints.print(hint, about: site)
  }
  static var pool: any ExecutionContext { PoolContext.shared }
}

/// Called by PromiseCore when it needs the services for the first time.
@_cdecl("promise_register_contexts")
func registerContexts() { ContextServices.register(Services.self) }
