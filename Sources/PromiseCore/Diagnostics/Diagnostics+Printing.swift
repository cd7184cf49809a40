import Synchronization

/// Prints unhandled rejections for which no hook is set. PromiseContexts has the only implementation, because PromiseCore imports no
/// library that can write to standard error.
package protocol UnhandledRejectionPrinting: SendableMetatype {
  static func print(_ report: UnhandledRejection)
  /// Prints a line, once for each place in the source.
  static func print(_ hint: String, about site: CreationSite)
}

extension Diagnostics {
  #if DEBUG
    private static let printing = Atomic<Bool>(true)
  #else
    private static let printing = Atomic<Bool>(false)
  #endif

  /// Whether unhandled rejections are printed to standard error while no hook is set for them.
  ///
  /// `true` by default if the library itself is compiled for debugging, otherwise `false`. One line is printed for each place that makes
  /// such promises, once, with the first error, when the promise is deallocated. A hook of ``onUnhandledRejection(_:)`` or
  /// ``scoped(unhandledRejection:secondSettlement:_:)-1ukok`` replaces printing, and a test world reports what was made in it. Second settlements
  /// are not printed. Debug builds of the library also print when a closure of `map` has returned a promise that nothing has used, because `then`
  /// was meant.
  ///
  /// Programs that import PromiseCore alone print nothing, since PromiseContexts does the printing.
  ///
  /// May be changed at any time, from any thread.
  public static var printsUnhandledRejections: Bool {
    // Relaxed: nothing else is published with it.
    get { printing.load(ordering: .relaxed) }
    set { printing.store(newValue, ordering: .relaxed) }
  }

  /// Looked up by its name, because PromiseCore cannot import PromiseContexts, and no code of PromiseContexts may have run before the first
  /// rejection. `nil`: the program does not contain that module.
  private static let printer =
    _typeByName("15PromiseContexts25UnhandledRejectionPrinterC") as? any UnhandledRejectionPrinting.Type

  /// Prints another hint, once for each place in the source.
  static func printHint(_ hint: String, about site: CreationSite) {
    if printsUnhandledRejections { printer?.print(hint, about: site) }
  }

  /// Prints a report, for promises without a hook.
  static var printingHook: (@Sendable (UnhandledRejection) -> Void)? {
    guard printsUnhandledRejections, let printer else { return nil }
    return { printer.print($0) }
  }
}
