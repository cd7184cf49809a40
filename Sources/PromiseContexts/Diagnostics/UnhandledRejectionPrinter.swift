package import PromiseCore

/// Prints unhandled rejections and other hints, each kind once for each creation site.
package final class UnhandledRejectionPrinter: @unchecked Sendable {
  fileprivate static let shared = UnhandledRejectionPrinter(sink: writeToStandardError)

  // `@unchecked Sendable`, because `printed` is used under the lock only.
  private var printed = (rejections: Set<CreationSite>(), mapResults: Set<CreationSite>(), work: Set<CreationSite>())
  private let lock = ShortLock()
  private let sink: @Sendable (String) -> Void

  /// Creates a printer that has printed nothing.
  ///
  /// - Parameter sink: gets each line, which ends with a line break.
  package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

  /// Prints the report, unless a report with the same creation site was printed before.
  package func print(_ report: UnhandledRejection) {
    print(report.hint, of: .unhandledRejection, about: report.createdAt)
  }

  /// Prints the line, unless a line of the same kind about the same site was printed before.
  package func print(_ hint: String, of kind: HintKind, about site: CreationSite) {
    let isFirst = lock.locked {
      switch kind {
      case .unhandledRejection: printed.rejections.insert(site).inserted
      case .unreadMapResult: printed.mapResults.insert(site).inserted
      case .unstoppedWork: printed.work.insert(site).inserted
      }
    }
    if isFirst { sink("Promises: \(hint)\n") }
  }
}

private enum Services: ContextServicing {
  static func print(_ report: UnhandledRejection) { UnhandledRejectionPrinter.shared.print(report) }
  static func print(_ hint: String, of kind: HintKind, about site: CreationSite) {
    UnhandledRejectionPrinter.shared.print(hint, of: kind, about: site)
  }
  static var pool: any ExecutionContext { PoolContext.shared }
}

/// Called by PromiseCore when it needs the services for the first time.
@_cdecl("promise_register_contexts")
func registerContexts() { ContextServices.register(Services.self) }
