/// The errors with which the library itself rejects promises.
///
/// A `switch` over them needs a `default`, because a minor version may add cases.
public enum PromiseError: Error, Sendable {
  /// The last reference to the ``Deferred`` of a pending promise was released, so the promise could not be settled any
  /// more (rule 6.2).
  case broken(createdAt: CreationSite)
  /// An execution context dropped a handler without running it (rule 6.2). The site is that of the link.
  case contextDropped(createdAt: CreationSite)
  /// Promises waited for each other in a ring (rule 3.2). The site is that of the promise that closed the ring. `ring` has
  /// the sites of the other promises of the ring, at most sixteen, each waiting for the one before it.
  case cycle(createdAt: CreationSite, ring: [CreationSite] = [])
  /// The predicate of ``Promise/validate(on:message:error:fileID:line:_:)`` refused a value. The error contains the
  /// description of the value, in one line of at most 200 characters, and the message that was passed to `validate`.
  case validationFailed(value: String, message: String?, createdAt: CreationSite)
  /// The closure of ``Promise/compactMap(on:to:weight:fileID:line:_:)`` returned `nil`.
  case noValue(createdAt: CreationSite)
  /// A callback that was adapted by `Deferred.resolve` was given neither a value nor an error.
  case emptyCallback(createdAt: CreationSite)
  /// A combinator that needs at least one input was given none.
  case emptyInput(createdAt: CreationSite)
  /// Too few inputs of a combinator were fulfilled. The errors are those of the rejected inputs, in the order of the
  /// inputs.
  case noneFulfilled([any Error], createdAt: CreationSite)
  /// A promise was not settled before its time limit.
  case timedOut(createdAt: CreationSite)
}

extension PromiseError: CustomStringConvertible {
  /// Describes the error and the place in the source that it concerns, in one line. At most eight of several errors are
  /// included.
  public var description: String {
    switch self {
    case .broken(let site): "the promise made at \(site) was never settled: its Deferred was deallocated"
    case .contextDropped(let site): "the execution context dropped the handler made at \(site) without running it"
    case .cycle(let site, let ring):
      "the promise made at \(site) waits for itself"
        + (ring.isEmpty ? "" : ", through those made at \(ring.map(\.description).joined(separator: ", "))")
    case .validationFailed(let value, let message, let site):
      "the predicate given at \(site) refused the value \(value)\(message.map { ": \($0)" } ?? "")"
    case .noValue(let site): "the closure given at \(site) returned no value"
    case .emptyCallback(let site): "the callback of the Deferred made at \(site) received neither a value nor an error"
    case .emptyInput(let site): "the combinator at \(site) was given no promise"
    case .noneFulfilled(let errors, let site):
      "too few promises given to the combinator at \(site) were fulfilled: \(Self.list(errors))"
    case .timedOut(let site): "the promise made at \(site) was not settled in time"
    }
  }

  /// Describes the first eight errors, and counts the others.
  private static func list(_ errors: [any Error]) -> String {
    let shown = errors.prefix(8).map { oneLine($0) }.joined(separator: "; ")
    return errors.count > 8 ? "\(shown); … \(errors.count - 8) more" : shown
  }
}
