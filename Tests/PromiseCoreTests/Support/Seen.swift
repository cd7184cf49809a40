import TestSupport

/// The state of a promise in a comparable form.
enum Seen<Value: Equatable & Sendable>: Equatable, Sendable {
  case pending
  case fulfilled(Value)
  case rejected(Failure)

  static func failed(_ number: Int) -> Seen { .rejected(.test(number)) }
}

/// An error in a comparable form. Errors of the library have the line of their creation site.
enum Failure: Equatable, Sendable {
  case test(Int)
  case cancellation
  case broken(UInt)
  case contextDropped(UInt)
  case cycle(UInt)
  case validationFailed(UInt)
  case noValue(UInt)
  case emptyCallback(UInt)
  case other(String)

  init(_ error: any Error) {
    switch error {
    case let error as TestError: self = .test(error.number)
    case is CancellationError: self = .cancellation
    case PromiseError.broken(let site): self = .broken(UInt(site.line))
    case PromiseError.contextDropped(let site): self = .contextDropped(UInt(site.line))
    case PromiseError.cycle(let site, _): self = .cycle(UInt(site.line))
    case PromiseError.validationFailed(_, _, let site): self = .validationFailed(UInt(site.line))
    case PromiseError.noValue(let site): self = .noValue(UInt(site.line))
    case PromiseError.emptyCallback(let site): self = .emptyCallback(UInt(site.line))
    default: self = .other("\(error)")
    }
  }
}

extension Seen {
  init(_ result: Result<Value, any Error>?) {
    switch result {
    case nil: self = .pending
    case .success(let value): self = .fulfilled(value)
    case .failure(let error): self = .rejected(Failure(error))
    }
  }
}

extension Promise where Value: Equatable { var seen: Seen<Value> { Seen(result) } }

extension Promise {
  /// The error, or `nil` if the promise is not rejected.
  var failure: Failure? {
    guard case .rejected(let error) = state else { return nil }
    return Failure(error)
  }
}
