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
      case broken, contextDropped, cycle, validationFailed, noValue, emptyCallback, emptyInput, noneFulfilled, timedOut
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
