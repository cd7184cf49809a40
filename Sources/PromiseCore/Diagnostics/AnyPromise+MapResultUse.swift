// Debug builds report a `map` whose closure returns a promise that nothing uses. For example,
// `map { load($0) }.catch { … }` compiles, but does not wait for `load`, where `then` was meant. An overload of `map`
// or `catch` about which the compiler could warn would make chains of twenty links too expensive to type-check.

#if DEBUG
  /// The record of whether a promise that a closure of `map` returned was used.
  struct MapResultUse {
    /// The creation site of the first `map` whose closure returned the promise.
    var mappedAt: CreationSite?
    /// Whether the promise was read as the value of another promise.
    var isRead = false
  }

  /// Records that the closure of a `map` has returned a value for a promise.
  @usableFromInline
  func noteMappedValue<Value>(_ value: Value, by promise: AnyPromise) {
    guard Value.self is AnyPromise.Type, !promise.acquiredState.isDone, let adopted = value as? AnyPromise else {
      return
    }
    adopted.locked {
      if adopted.sideTable.mapResultUse.mappedAt == nil {
        adopted.sideTable.mapResultUse.mappedAt = CreationSite(promise.site)
      }
    }
  }

  extension Promise {
    /// Returns the value of a promise, and records that it is passed to code that uses it.
    @usableFromInline
    static func reading(_ value: Value) -> Value {
      if Value.self is AnyPromise.Type, let adopted = value as? AnyPromise {
        adopted.locked { adopted.sideTable.mapResultUse.isRead = true }
      }
      return value
    }
  }

  extension AnyPromise {
    /// Reports this promise, which is being deallocated, if a closure of `map` returned it and nothing has read it.
    final func reportUnreadMappedValue() {
      guard let use = side?.mapResultUse, !use.isRead else { return }
      guard let site = use.mappedAt else { return }
      if let hook = Diagnostics.unreadMappedValue.current { return hook(site) }
      guard Diagnostics.printsUnhandledRejections else { return }
      ContextServices.registered?.print(
        """
        the closure of `map` at \(site) returned a promise, which nothing has used. Use `then` to wait for that promise, or turn this \
        message off: `Diagnostics.printsUnhandledRejections = false`.
        """, of: .unreadMapResult, about: site)
    }
  }

  extension Diagnostics {
    fileprivate static let unreadMappedValue = HookSlot<@Sendable (CreationSite) -> Void>()

    /// Sets the hook that replaces printing, for tests. Returns the hook that was set before.
    package static func onUnreadMappedValue(
      _ hook: (@Sendable (CreationSite) -> Void)?
    ) -> (@Sendable (CreationSite) -> Void)? { unreadMappedValue.replace(by: hook) }
  }
#endif
