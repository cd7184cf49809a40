import PromiseCore
import TestSupport
import Testing

/// What a promise of numbers shows, in a form that can be compared and be the argument of a test.
enum Outcome: Hashable, Sendable {
  case pending
  case value(Int)
  case error(Int)
  case cycle
  case other(String)

  /// The two ways to end, for the clauses that hold for both alike.
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

  /// What an owner says to bring this about.
  var result: Result<Int, any Error> {
    switch self {
    case .value(let value): .success(value)
    case .error(let number): .failure(TestError(number))
    case .pending, .cycle, .other: preconditionFailure("no owner says \(self)")
    }
  }

  /// The same way to end, with an object for the value or for the error.
  func result(with token: Token) -> Result<Token, any Error> {
    isValue ? .success(token) : .failure(token)
  }
}

extension Promise<Int> {
  var shown: Outcome { Outcome(state) }
}

/// All that a promise says of itself agrees with the outcome.
func expect(_ promise: Promise<Int>, shows outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(Outcome(promise.state) == outcome, sourceLocation: sourceLocation)
  #expect(Outcome(promise.result) == outcome, sourceLocation: sourceLocation)
  #expect(promise.isPending == (outcome == .pending), sourceLocation: sourceLocation)
  #expect(promise.isFulfilled == outcome.isValue, sourceLocation: sourceLocation)
  #expect(promise.isRejected == (outcome != .pending && !outcome.isValue), sourceLocation: sourceLocation)
}

/// A value or an error with an identity, to see that it is handed on and not made anew.
final class Token: Error, Sendable {}

extension Result where Success == Token, Failure == any Error {
  var token: Token? {
    switch self {
    case .success(let token): token
    case .failure(let error): error as? Token
    }
  }
}
