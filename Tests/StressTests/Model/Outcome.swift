import TestSupport

/// The outcome of a promise in numbers. An error of the library has the number of the promise that it names.
enum Outcome: Hashable, Sendable {
  case value(Int)
  case failure(Failure, isCancelled: Bool)

  enum Failure: Hashable, Sendable {
    case test(Int)
    case cancellation
    case broken(Int)
    case cycle(Int)
    case dropped(Int)
    case refused(Int)
    case noValue(Int)
    case noneFulfilled(Int)
    case emptyInput(Int)
    case other
  }

  var failure: Failure? {
    if case .failure(let failure, _) = self { failure } else { nil }
  }

  var value: Int? { if case .value(let value) = self { value } else { nil } }

  var isCancelled: Bool { if case .failure(_, true) = self { true } else { false } }
}

/// The outcome that a handler sees. An error does not tell whether its promise was cancelled.
enum SeenOutcome: Hashable, Sendable {
  case value(Int)
  case failure(Outcome.Failure)
  /// A closure that starts a promise sees no outcome.
  case start

  init(_ outcome: Outcome) {
    switch outcome {
    case .value(let number): self = .value(number)
    case .failure(let failure, _): self = .failure(failure)
    }
  }

  init(_ result: Result<Int, any Error>) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(let error): self = .failure(Outcome.Failure(error))
    }
  }
}

extension Outcome {
  init(_ ending: Step.Ending) {
    switch ending {
    case .value(let number): self = .value(number)
    case .failure(let failure): self.init(throwing: failure)
    }
  }

  /// Creates the outcome of a rejection or a throw. `CancellationError` sets the mark (rule 1.2).
  init(throwing failure: Step.Failure) {
    self = .failure(Failure(failure), isCancelled: failure == .cancellation)
  }
}

extension Outcome.Failure {
  init(_ failure: Step.Failure) {
    switch failure {
    case .test(let number): self = .test(number)
    case .cancellation: self = .cancellation
    }
  }

  init(_ error: any Error) {
    switch error {
    case let error as TestError: self = .test(error.number)
    case is CancellationError: self = .cancellation
    case PromiseError.broken(let site): self = .broken(site.line)
    case PromiseError.cycle(let site, _): self = .cycle(site.line)
    case PromiseError.contextDropped(let site): self = .dropped(site.line)
    case PromiseError.validationFailed(_, _, let site): self = .refused(site.line)
    case PromiseError.noValue(let site): self = .noValue(site.line)
    case PromiseError.noneFulfilled(_, let site): self = .noneFulfilled(site.line)
    case PromiseError.emptyInput(let site): self = .emptyInput(site.line)
    default: self = .other
    }
  }
}

extension Step.Failure {
  var error: any Error {
    switch self {
    case .test(let number): TestError(number)
    case .cancellation: CancellationError()
    }
  }
}
