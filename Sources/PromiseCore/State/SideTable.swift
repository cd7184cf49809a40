/// Data that only some promises need. Created when it is first needed, so an ordinary promise pays one word for it.
///
/// A side table belongs to one promise, which retains it. Its contents are accessed under its lock only. Closures are
/// taken out under the lock, and are run or released outside (rule 6.5).
final class SideTable: @unchecked Sendable {
  // `@unchecked`, because `contents` is accessed under the lock only.
  struct Contents {
    var hooks = OwnerHooks()
    /// The scope that receives the report on this promise's rejection, instead of the hooks of the process.
    var scope: DiagnosticsScope?
    /// Written by the claimer, if rejections are traced.
    var trail: RejectionTrail?
    var progress = ProgressState()
    /// Shared by the promises of a ring that was closed.
    var ringReport: RingReport?
    /// The client promise, if the owner observes its clients, see `ClientPromise.swift`.
    weak var clientPromise: AnyPromise?
    /// The combination of which this promise is the result, until it has ended.
    var combination: Combination?
    /// A rejection of this promise, past or future, counts as handled: the promise was an input of a combinator that
    /// discarded it (rule 7.1).
    var isHandledInAdvance = false
    #if DEBUG
      var mapResultUse = MapResultUse()
    #endif
  }

  private let lock = ShortLock()
  private var contents = Contents()

  func locked<Result>(_ body: (inout Contents) -> Result) -> Result { lock.locked { body(&contents) } }
}
