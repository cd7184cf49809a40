/// What only some promises need, and which is therefore made when it is first asked for: an ordinary promise pays one word.
///
/// A side table belongs to one promise and goes with it. Its contents are touched under its lock only; closures are
/// taken out of it there, and run or released outside (rule 6.5).
final class SideTable: @unchecked Sendable {
  // `@unchecked`: `contents` is touched under the lock only.
  struct Contents {
    var cancelHooks = CancelHooks()
    /// Who hears of this promise's rejection, instead of the process's hooks.
    var scope: DiagnosticsScope?
    /// Written by the claimer, if rejections are traced.
    var trail: RejectionTrail?
    var progress = ProgressState()
    /// What clients of an owner that observes them have, see `ClientPromise.swift`.
    weak var clientPromise: AnyPromise?
    /// How this promise is made from several others, until that is over.
    var combination: Combination?
    /// Nobody need look at this promise's rejection: a combinator had it as an input, and did without (rule 7.1).
    var isHandledInAdvance = false
    #if DEBUG
      var nesting = Nesting()
    #endif
  }

  private let lock = ShortLock()
  private var contents = Contents()

  func locked<Result>(_ body: (inout Contents) -> Result) -> Result { lock.locked { body(&contents) } }
}
