// Links of combinators whose closures make promises: these belong to the combinator, and are cancelled with its result unless somebody else wants
// them (rule 4.8).

extension Promise {
  /// As `then`, of a promise that a combinator's closure has made.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    .derived(from: self, at: site.site, on: context, handling: [.value, .adopts, .owns]) { from, to in
      Promise<U>.adopt(to) { try transform(Promise<Value>.value(of: from)) }
    }
  }

  /// As `rescue`, of a promise that a combinator's closure has made. A closure that returns `nil` lets the error pass, as a cancelled promise's always
  /// does.
  package final func rescueOwned(
    on context: any ExecutionContext, at site: CreationSite,
    _ transform: @escaping @Sendable (any Error) throws -> Promise?
  ) -> Promise {
    .derived(from: self, at: site.site, on: context, handling: [.error, .adopts, .owns]) { from, to in
      guard let error = from.error else { return Promise.copy(from, to) }
      if from.cellHint.isCancelled { return Promise.pass(from, to) }
      do {
        guard let next = try transform(error) else { return Promise.pass(from, to) }
        from.markExamined()
        return Promise.adopt(to) { next }
      } catch {
        from.markExamined()
        return Promise.adopt(to) { throw error }
      }
    }
  }
}
