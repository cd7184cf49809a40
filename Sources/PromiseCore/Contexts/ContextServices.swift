internal import CPromiseSystem

/// The part of PromiseContexts that PromiseCore uses, although it cannot import that module.
///
/// The only implementation is in PromiseContexts. PromiseCore imports no library that can write to standard error.
package protocol ContextServicing: SendableMetatype {
  /// Prints an unhandled rejection for which no hook is set.
  static func print(_ report: UnhandledRejection)
  /// Prints a line, at most once for each kind and creation site.
  static func print(_ hint: String, of kind: HintKind, about site: CreationSite)
  /// The pool, on which hooks run. It never drops a job.
  static var pool: any ExecutionContext { get }
}

/// The kind of a line for the programmer.
package enum HintKind: Sendable {
  case unhandledRejection, unreadMapResult, unstoppedWork
}

/// The services of the PromiseContexts that was linked together with this PromiseCore.
///
/// A process may contain several copies of the library, for instance one in each of its plug-ins. So the services are
/// not looked up by a name. They are registered by a C function that the linker resolves within each copy.
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

/// Runs a handler inside the call that settles its promise. Only the library's own handlers may use it (rule 2.1).
///
/// If that call is itself deep inside such handlers, one of the outer calls runs the handler (rule 6.4).
@usableFromInline
package final class InlineContext: ExecutionContext {
  @usableFromInline package static let shared = InlineContext()

  @usableFromInline
  package func scheduleEngineJob(_ job: consuming EngineJob) { UnnestedWork.runInline(job) }

  @usableFromInline
  package func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }
}

/// A context that runs each job in a detached Task of its own. Hooks run here in a program that contains PromiseCore
/// alone (rule 4.5).
package final class DetachedContext: ExecutionContext {
  /// The pool of PromiseContexts, or a `DetachedContext` if the program does not contain that module.
  package static let pool: any ExecutionContext = ContextServices.registered?.pool ?? DetachedContext()

  package init() {}

  package func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    Task.detached { job.run() }
  }

  package func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }
}
