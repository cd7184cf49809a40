extension AnyPromise {
  /// Calls a body of the library inside the call that settles this promise. The body is not a consumer (rule 4.0), and
  /// does not handle a rejection (rule 7.1).
  package final func whenSettled(_ body: @escaping @Sendable () -> Void) { whenSettled { _ in body() } }

  /// Calls a body of the library inside the call that settles this promise, with the promise that is settled.
  ///
  /// That is the owner's promise. This promise may be a client promise, and no client may retain it any more.
  package final func whenSettled(_ body: @escaping @Sendable (AnyPromise) -> Void) {
    observe(on: nil, handling: [.value, .error, .isNotConsumer]) { settled, _ in
      body(settled)
      return .nothing
    }
  }

  /// Calls a body of the library inside the call that settles this promise, and gives up the promise that the body
  /// returns.
  ///
  /// That promise is given up before the settling call returns. The reason is that of this promise if it was cancelled.
  /// The body must not give up a promise itself, because each such cancellation could cause the next in a nested call,
  /// for the length of a chain (rule 6.4).
  package final func giveUpWhenSettled(_ unneeded: @escaping @Sendable () -> AnyPromise?) {
    observe(on: nil, handling: [.value, .error, .isNotConsumer]) { _, _ in
      .settles(nil, givingUp: unneeded().map { [Departure(promise: $0, isCounted: false, deadEntries: 0)] } ?? [])
    }
  }
}
