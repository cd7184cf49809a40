public import PromiseTesting

/// The state of a promise in a form that can be compared.
public enum Status<Value: Equatable & Sendable>: Equatable, Sendable {
  case pending
  case fulfilled(Value)
  case rejected(Failure)

  /// A rejection with `TestError(number)`.
  public static func failed(_ number: Int) -> Status { .rejected(.test(number)) }

  public init(_ result: Result<Value, any Error>?) {
    switch result {
    case nil: self = .pending
    case .success(let value): self = .fulfilled(value)
    case .failure(let error): self = .rejected(Failure(error))
    }
  }
}

/// An error in a form that can be compared.
public enum Failure: Equatable, Sendable {
  /// A `TestError` with this number.
  case test(Int)
  case cancellation
  /// An error of the library, with the line of its creation site.
  case library(PromiseError.Code, line: UInt)
  /// Another error, by its description.
  case other(String)

  public init(_ error: any Error) {
    switch error {
    case let error as TestError: self = .test(error.number)
    case is CancellationError: self = .cancellation
    case let error as PromiseError: self = .library(error.code, line: UInt(error.createdAt.line))
    default: self = .other("\(error)")
    }
  }

  public static func broken(_ line: UInt) -> Failure { .library(.broken, line: line) }
  public static func contextDropped(_ line: UInt) -> Failure { .library(.contextDropped, line: line) }
  public static func cycle(_ line: UInt) -> Failure { .library(.cycle, line: line) }
  public static func validationFailed(_ line: UInt) -> Failure { .library(.validationFailed, line: line) }
  public static func noValue(_ line: UInt) -> Failure { .library(.noValue, line: line) }
  public static func emptyCallback(_ line: UInt) -> Failure { .library(.emptyCallback, line: line) }
  public static func timedOut(_ line: UInt) -> Failure { .library(.timedOut, line: line) }

  /// The code of an error of the library, otherwise `nil`.
  public var code: PromiseError.Code? { if case .library(let code, _) = self { code } else { nil } }
}

extension Promise where Value: Equatable {
  /// The state of the promise at this moment. Reading an error handles the rejection (rule 7.1), as with `state`.
  public var status: Status<Value> { Status(result) }
}

extension Promise {
  /// The error, or `nil` if the promise is not rejected. Reading it handles the rejection (rule 7.1).
  public var failure: Failure? { error.map(Failure.init) }
}

extension PromiseError {
  /// The place that every error of the library names.
  fileprivate var createdAt: CreationSite {
    switch self {
    case .broken(let site), .contextDropped(let site), .cycle(let site, _), .noValue(let site): site
    case .validationFailed(_, _, let site), .noneFulfilled(_, let site): site
    case .emptyCallback(let site), .emptyInput(let site), .timedOut(let site), .queueFull(let site): site
    }
  }
}
