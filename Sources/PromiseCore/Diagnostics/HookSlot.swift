/// One hook of the process, which may be replaced at any time.
final class HookSlot<Hook: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock only. Read there, but called and released outside (rule 6.5).
  private var hook: Hook?
  private let lock = ShortLock()

  var current: Hook? { lock.locked { hook } }

  /// Returns the one that was there before.
  func replace(by new: Hook?) -> Hook? {
    lock.locked {
      let old = hook
      hook = new
      return old
    }
  }
}
