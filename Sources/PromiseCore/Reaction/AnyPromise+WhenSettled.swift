extension AnyPromise {
  /// Calls a body of the library's own as soon as this promise is settled, inside the call that settles it. To be told is no
  /// reason to live, and no look (rules 4.0 and 7.1).
  package final func whenSettled(_ body: @escaping @Sendable () -> Void) {
    observe(on: nil, handling: [.value, .error, .bystander]) { _, _ in
      body()
      return .nothing
    }
  }

  /// The same, with a body that tells what is not needed any more: that is given up, with the same reason if this promise was cancelled,
  /// before the call that settled it returns. The body must not do so itself: what it cancels may bring about the next
  /// such cancellation, and that the next, for the length of a chain (rule 6.4).
  package final func giveUpWhenSettled(_ unneeded: @escaping @Sendable () -> AnyPromise?) {
    observe(on: nil, handling: [.value, .error, .bystander]) { _, _ in
      .settles(nil, givingUp: unneeded().map { [Departure(promise: $0, isCounted: false, deadEntries: 0)] } ?? [])
    }
  }
}
