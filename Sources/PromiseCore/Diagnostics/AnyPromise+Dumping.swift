extension AnyPromise {
  /// Passes a description of this promise to a closure, on a context, once the promise is settled. The closure is not a
  /// consumer (rule 4.0), and does not handle a rejection (rule 7.1).
  package final func describeWhenSettled(
    on context: any ExecutionContext, _ body: @escaping @Sendable (String) -> Void
  ) {
    observe(on: context, [.value, .error, .isNotConsumer]) { from, _ in
      body(from.summary)
      return .nothing
    }
  }
}
