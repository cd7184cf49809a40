internal import CPromiseSystem

/// The part of PromiseContexts that PromiseCore uses, although it cannot import that module.
///
/// The only implementation is in PromiseContexts. PromiseCore imports no library that can write to standard error.
package protocol ContextServicing: SendableMetatype {
  /// Prints an unhandled rejection for which no hook is set.
  static func print(_ report: UnhandledRejection)
  /// Prints a line, at most once for each creation site.
  static func print(_ hint: String, about site: CreationSite)
  /// The pool, on which hooks run. It never drops a job.
  static var pool: any ExecutionContext { get }
}

/// The services of the PromiseContexts that was linked together with this PromiseCore.
///
/// A process may contain several copies of the library, for instance one in each of its plug-ins. So the services are not
/// looked up by a name. They are registered by a C function that the linker resolves within each copy.
package enum ContextServices {
  // Safe, because it is written only while the constant below is being initialised.
  private nonisolated(unsafe) static var found: (any ContextServicing.Type)?

  /// `nil` if the program does not contain PromiseContexts.
  static let registered: (any ContextServicing.Type)? = {
    promise_register_contexts()
    return unsafe found
  }()

  /// Called by PromiseContexts alone.
  package static func register(_ services: any ContextServicing.Type) { unsafe found = services }
}
