// Debug builds report a `map` whose closure returns a promise that nothing uses: `map { load($0) }.catch { … }` compiles, but does not wait
// for `load`, where `then` was meant. An overload of `map` or `catch` that the compiler could warn about makes chains of twenty links too
// expensive to type-check.

#if DEBUG
  /// Whether a promise that a closure of `map` returned was used.
  struct Nesting {
    /// Where the first `map` was made whose closure returned the promise.
    var mappedAt: CreationSite?
    /// The promise was read as the value of another promise.
    var isRead = false
  }

  extension Promise {
    /// The closure of a `map` has returned the value of this promise, which is claimed and not published.
    @usableFromInline
    final func noteMappedValue() {
      guard Value.self is AnyPromise.Type, storedError == nil, let adopted = fulfilledValue as? AnyPromise else {
        return
      }
      let site = CreationSite(site)
      adopted.side.getOrCreateTable().locked { if $0.nesting.mappedAt == nil { $0.nesting.mappedAt = site } }
    }

    /// Returns the value of a promise, which is passed to code that uses it.
    @usableFromInline
    static func reading(_ value: Value) -> Value {
      if Value.self is AnyPromise.Type, let adopted = value as? AnyPromise {
        adopted.side.getOrCreateTable().locked { $0.nesting.isRead = true }
      }
      return value
    }
  }

  extension AnyPromise {
    /// This promise is being deallocated: reports it if a closure of `map` returned it, and nothing has read it.
    final func reportUnreadMappedValue() {
      guard let nesting = side.table?.locked({ $0.nesting }), !nesting.isRead else { return }
      guard let site = nesting.mappedAt else { return }
      if let hook = Diagnostics.unreadMappedValue.current { return hook(site) }
      Diagnostics.printHint(
        """
        the closure of `map` at \(site) returned a promise, which nothing has used. Use `then` to wait for that promise, or turn this \
        message off: `Diagnostics.printsUnhandledRejections = false`.
        """, about: site)
    }
  }

  extension Diagnostics {
    fileprivate static let unreadMappedValue = HookSlot<@Sendable (CreationSite) -> Void>()

    /// Sets what replaces printing, for tests, and returns what did so before.
    package static func onUnreadMappedValue(
      _ hook: (@Sendable (CreationSite) -> Void)?
    ) -> (@Sendable (CreationSite) -> Void)? { unreadMappedValue.replace(by: hook) }
  }
#endif
