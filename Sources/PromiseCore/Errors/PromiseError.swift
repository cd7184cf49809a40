/// The errors with which the library itself rejects promises.
///
/// A `switch` over them needs a `default`, because a minor version may add cases.
public enum PromiseError: Error, Sendable {
  /// The last reference to the ``Deferred`` of a pending promise was released, so the promise could not be settled any
  /// more (rule 6.2).
  case broken(createdAt: CreationSite)
  /// An execution context dropped a handler without running it (rule 6.2). The site is that of the link.
  case contextDropped(createdAt: CreationSite)
  /// Promises waited for each other in a ring (rule 3.2). The site is that of the promise that closed the ring. `ring`
  /// has the sites of the other promises of the ring, at most sixteen, each waiting for an earlier one.
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
  /// inputs. There are none if `some` needs more inputs than it was given, because it does not wait then.
  case noneFulfilled([any Error], createdAt: CreationSite)
  /// A promise was not settled before its time limit.
  case timedOut(createdAt: CreationSite)
  /// The queue of a gate was full when the operation arrived. The site is that of the operation.
  case queueFull(createdAt: CreationSite)
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
    case .noneFulfilled(let errors, let site) where errors.isEmpty:
      "the combinator at \(site) needs more promises than it was given"
    case .noneFulfilled(let errors, let site):
      "too few promises given to the combinator at \(site) were fulfilled: \(Self.list(errors))"
    case .timedOut(let site): "the promise made at \(site) was not settled in time"
    case .queueFull(let site): "the queue of the gate was full when the operation at \(site) arrived"
    }
  }

  /// Describes the first eight errors, and counts the others.
  private static func list(_ errors: [any Error]) -> String {
    let shown = errors.prefix(8).map { oneLine($0) }.joined(separator: "; ")
    return errors.count > 8 ? "\(shown); … \(errors.count - 8) more" : shown
  }
}

extension PromiseError {
  /// The kind of a ``PromiseError`` without its associated values, for comparisons and for `catch`.
  ///
  /// ```swift
  /// do {
  ///   show(try await promise.value)
  /// } catch PromiseError.Code.timedOut {
  ///   showOffline()
  /// }
  /// ```
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    // A structure, because `catch` reads a case of an enumeration as a pattern and does not call `~=`.

    private enum Kind {
      case broken, contextDropped, cycle, validationFailed, noValue, emptyCallback, emptyInput, noneFulfilled, timedOut,
        queueFull
    }

    private let kind: Kind

    /// The code of ``PromiseError/broken(createdAt:)``.
    public static let broken = Code(kind: .broken)
    /// The code of ``PromiseError/contextDropped(createdAt:)``.
    public static let contextDropped = Code(kind: .contextDropped)
    /// The code of ``PromiseError/cycle(createdAt:ring:)``.
    public static let cycle = Code(kind: .cycle)
    /// The code of ``PromiseError/validationFailed(value:message:createdAt:)``.
    public static let validationFailed = Code(kind: .validationFailed)
    /// The code of ``PromiseError/noValue(createdAt:)``.
    public static let noValue = Code(kind: .noValue)
    /// The code of ``PromiseError/emptyCallback(createdAt:)``.
    public static let emptyCallback = Code(kind: .emptyCallback)
    /// The code of ``PromiseError/emptyInput(createdAt:)``.
    public static let emptyInput = Code(kind: .emptyInput)
    /// The code of ``PromiseError/noneFulfilled(_:createdAt:)``.
    public static let noneFulfilled = Code(kind: .noneFulfilled)
    /// The code of ``PromiseError/timedOut(createdAt:)``.
    public static let timedOut = Code(kind: .timedOut)
    /// The code of ``PromiseError/queueFull(createdAt:)``.
    public static let queueFull = Code(kind: .queueFull)

    /// The name of the error, such as `timedOut`.
    public var description: String { "\(kind)" }
  }

  /// The kind of this error.
  public var code: Code {
    switch self {
    case .broken: .broken
    case .contextDropped: .contextDropped
    case .cycle: .cycle
    case .validationFailed: .validationFailed
    case .noValue: .noValue
    case .emptyCallback: .emptyCallback
    case .emptyInput: .emptyInput
    case .noneFulfilled: .noneFulfilled
    case .timedOut: .timedOut
    case .queueFull: .queueFull
    }
  }
}

extension PromiseError.Code {
  /// Creates the code of any error. The result is `nil` if there is no error, or if it is not a ``PromiseError``.
  ///
  /// ```swift
  /// #expect(PromiseError.Code(promise.error) == .timedOut)
  /// ```
  public init?(_ error: (any Error)?) {
    guard let error = error as? PromiseError else { return nil }
    self = error.code
  }

  /// Returns whether an error is a ``PromiseError`` of this kind. `catch PromiseError.Code.timedOut` calls this.
  public static func ~= (code: Self, error: (any Error)?) -> Bool { Self(error) == code }
}

/// The message that was passed to `validate`, kept until a value is refused.
@usableFromInline
struct ValidationMessage: Error {
  let text: String

  @usableFromInline init(_ text: String) { self.text = text }
}

/// Returns the error for a value that a predicate has refused.
///
/// - Parameters:
///   - reason: the client's own error, or a ``ValidationMessage``.
///   - site: where the predicate was given.
@usableFromInline
func validationError(for value: Any, because reason: (any Error)?, at site: Site) -> any Error {
  if let reason, !(reason is ValidationMessage) { return reason }
  let message = (reason as? ValidationMessage)?.text
  return PromiseError.validationFailed(value: oneLine(value), message: message, createdAt: CreationSite(site))
}
