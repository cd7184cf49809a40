import TestSupport
import Testing

/// The state of a promise of numbers, which can be compared and used as an argument of a test.
enum Outcome: Hashable, Sendable {
  case pending
  case value(Int)
  case error(Int)
  case cycle
  case other(String)

  /// The two outcomes of a settled promise, for the clauses that say the same about both.
  static let settled: [Outcome] = [.value(1), .error(1)]

  init(_ error: any Error) {
    switch error {
    case let error as TestError: self = .error(error.number)
    case PromiseError.cycle: self = .cycle
    default: self = .other("\(error)")
    }
  }

  init(_ state: Promise<Int>.State) {
    switch state {
    case .pending: self = .pending
    case .fulfilled(let value): self = .value(value)
    case .rejected(let error): self = Outcome(error)
    }
  }

  init(_ result: Result<Int, any Error>?) {
    switch result {
    case nil: self = .pending
    case .success(let value): self = .value(value)
    case .failure(let error): self = Outcome(error)
    }
  }

  var isValue: Bool {
    if case .value = self { true } else { false }
  }

  /// The result with which an owner brings this outcome about.
  var result: Result<Int, any Error> {
    switch self {
    case .value(let value): .success(value)
    case .error(let number): .failure(TestError(number))
    case .pending, .cycle, .other: preconditionFailure("no owner says \(self)")
    }
  }

  /// Returns a result of the same kind, with an object as the value or the error.
  func result(with token: Token) -> Result<Token, any Error> { isValue ? .success(token) : .failure(token) }
}

extension Promise<Int> { var shown: Outcome { Outcome(state) } }

/// Checks that all properties of the promise agree with the outcome.
func expect(_ promise: Promise<Int>, shows outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(Outcome(promise.state) == outcome, sourceLocation: sourceLocation)
  #expect(Outcome(promise.result) == outcome, sourceLocation: sourceLocation)
  #expect(promise.isPending == (outcome == .pending), sourceLocation: sourceLocation)
  #expect(promise.isFulfilled == outcome.isValue, sourceLocation: sourceLocation)
  #expect(promise.isRejected == (outcome != .pending && !outcome.isValue), sourceLocation: sourceLocation)
}

/// A value or an error with an identity. Tests use it to check that a promise passes the identical object on.
final class Token: Error, Sendable {}

extension Result where Success == Token, Failure == any Error {
  var token: Token? {
    switch self {
    case .success(let token): token
    case .failure(let error): error as? Token
    }
  }
}
