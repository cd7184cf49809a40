import PromiseCore
import TestSupport

/// How a promise ended, in numbers: errors of the library by the promise that they name.
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
    case other
  }

  var failure: Failure? {
    if case .failure(let failure, _) = self { failure } else { nil }
  }
}

/// What a handler is shown: an error does not tell whether it is one of a cancelled promise.
enum Sight: Hashable, Sendable {
  case value(Int)
  case failure(Outcome.Failure)
  /// A closure that starts a promise is shown nothing.
  case start

  init(_ outcome: Outcome) {
    switch outcome {
    case .value(let number): self = .value(number)
    case .failure(let failure, _): self = .failure(failure)
    }
  }
}

/// What can be seen while a step is taken.
enum Event: Hashable, Sendable {
  case ran(handler: Int, Sight)
  /// What a call made by a handler answered.
  case answered(Bool?)
  /// The hook of that number among those of a promise.
  case hook(of: Int, Int, Outcome.Failure)
  /// An owner came too late.
  case second(Int, afterCancel: Bool)
}

extension Outcome {
  init(_ ending: Step.Ending) {
    switch ending {
    case .value(let number): self = .value(number)
    case .failure(let failure): self.init(throwing: failure)
    }
  }

  /// Rule 1.2: who rejects with `CancellationError`, or throws it, sets the mark.
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
    case PromiseError.cycle(let site): self = .cycle(site.line)
    case PromiseError.contextDropped(let site): self = .dropped(site.line)
    case PromiseError.validationFailed(let site): self = .refused(site.line)
    case PromiseError.noValue(let site): self = .noValue(site.line)
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

// MARK: - As text

extension Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let number): "\(number)"
    case .failure(let failure, let isCancelled): "\(failure)" + (isCancelled ? ", cancelled" : "")
    }
  }
}

extension Outcome.Failure: CustomStringConvertible {
  var description: String {
    switch self {
    case .test(let number): "test(\(number))"
    case .cancellation: "cancellation"
    case .broken(let promise): "broken(\(promise))"
    case .cycle(let promise): "cycle(\(promise))"
    case .dropped(let promise): "dropped(\(promise))"
    case .refused(let promise): "refused(\(promise))"
    case .noValue(let promise): "noValue(\(promise))"
    case .other: "other"
    }
  }
}

extension Sight: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let number): "\(number)"
    case .failure(let failure): "\(failure)"
    case .start: "start"
    }
  }
}

extension Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .ran(let handler, let sight): "ran(\(handler), \(sight))"
    case .answered(let answer): "answered(\(answer.map { "\($0)" } ?? "-"))"
    case .hook(let promise, let number, let reason): "hook(\(promise), \(number), \(reason))"
    case .second(let promise, _): "second(\(promise))"
    }
  }
}
