extension AnyPromise {
  /// The label that the program has given this promise, if any.
  public final var label: String? {
    let promise = resolved
    return promise.locked { promise.side?.notes?.label }
  }

  /// Gives this promise a label.
  final func setLabel(_ label: String) {
    let promise = resolved
    promise.locked { promise.sideTable.madeNotes.label = label }
    if Diagnostics.isActive { promise.note(.labelled(label)) }
  }
}

extension Promise {
  /// Gives this promise a label, which descriptions, reports, recordings and traces show. Returns this promise.
  ///
  /// ```swift
  /// let user = server.load(id).map(User.init).labelled("load user")
  /// print(user)  // Promise<User> "load user", pending, map at Shop/Server.swift:12
  /// ```
  ///
  /// The label belongs to this promise, and not to promises that are derived from it. A later label replaces an earlier
  /// one. A label changes nothing else. A promise without a label costs nothing for it.
  ///
  /// - Parameter label: names what the promise stands for. Descriptions show its first 60 characters in one line.
  /// - Complexity: O(1). At most two allocations.
  @discardableResult
  public func labelled(_ label: String) -> Promise {
    setLabel(label)
    return self
  }
}
