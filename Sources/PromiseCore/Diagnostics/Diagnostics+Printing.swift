import Synchronization

extension Diagnostics {
  #if DEBUG
    private static let printing = Atomic<Bool>(true)
  #else
    private static let printing = Atomic<Bool>(false)
  #endif

  /// Whether unhandled rejections are printed to standard error while no hook is set for them.
  ///
  /// The default is `true` if the library itself is compiled for debugging, otherwise `false`. A line with the first
  /// error is printed once for each creation site, when the promise is deallocated. A hook of
  /// ``onUnhandledRejection(_:)`` or ``scoped(unhandledRejection:secondSettlement:_:)-1ukok`` replaces printing. A test
  /// world reports the promises that were made in it. Second settlements are not printed. Debug builds of the library
  /// also print when a closure of `map` has returned a promise that nothing has used, because `then` was meant.
  ///
  /// Programs that import PromiseCore alone print nothing, because the printing code is part of PromiseContexts.
  ///
  /// May be changed at any time, from any thread.
  public static var printsUnhandledRejections: Bool {
    // Relaxed, because nothing else is published with it.
    get { printing.load(ordering: .relaxed) }
    set { printing.store(newValue, ordering: .relaxed) }
  }

  /// Prints a hint other than an unhandled rejection, at most once for each creation site.
  static func printHint(_ hint: String, about site: CreationSite) {
    if printsUnhandledRejections { ContextServices.registered?.print(hint, about: site) }
  }

  /// The hook that prints reports while no other hook is set.
  static var printingHook: (@Sendable (UnhandledRejection) -> Void)? {
    guard printsUnhandledRejections, let services = ContextServices.registered else { return nil }
    return { services.print($0) }
  }
}
