/// One hook of the process, which may be replaced at any time.
final class HookSlot<Hook: Sendable>: @unchecked Sendable {
  // `@unchecked`, because the hook is accessed under the lock only. It is called and released outside the lock (rule
  // 6.5).
  private var hook: Hook?
  private let lock = ShortLock()

  var current: Hook? { lock.locked { hook } }

  /// Sets the hook and returns the previous one, so that the caller releases it outside the lock.
  func replace(by new: Hook?) -> Hook? {
    lock.locked {
      let old = hook
      hook = new
      return old
    }
  }
}
