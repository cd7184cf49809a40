import TestSupport
import Testing

/// The ways in which a promise gets its outcome. Every clause applies to each of them.
enum Settling: String, CaseIterable, Sendable {
  /// The promise is created with its outcome.
  case fromBirth
  /// The owner settles the promise before the test attaches handlers.
  case already
  /// The owner settles the promise after the test attaches handlers, on the same thread.
  case later
  /// The owner settles the promise after the test attaches handlers, on another thread.
  case fromAnotherThread

  /// The ways in which an owner settles the promise.
  static let byOwner: [Settling] = [.already, .later, .fromAnotherThread]

  /// The ways in which the promise is pending while the test attaches handlers.
  static let whilePending: [Settling] = [.later, .fromAnotherThread]

  /// Returns each of the ways with each outcome.
  static func withOutcomes(_ ways: [Settling]) -> [(settling: Settling, outcome: Outcome)] {
    ways.flatMap { way in Outcome.settled.map { (settling: way, outcome: $0) } }
  }

  /// Creates a promise and lets the body attach handlers to it. The promise is settled when this function returns. Runs
  /// no context.
  @discardableResult
  func settle<Value: Sendable, Attached>(
    with result: Result<Value, any Error>, attaching attach: (Promise<Value>) -> Attached
  ) -> Attached {
    guard self == .fromBirth else {
      let deferred = Deferred<Value>()
      return settle(deferred, with: result) { attach(deferred.promise) }
    }
    switch result {
    case .success(let value): return attach(.fulfilled(value))
    case .failure(let error): return attach(.rejected(error))
    }
  }

  /// Does the same with a promise of numbers.
  @discardableResult
  func settle<Attached>(as outcome: Outcome, attaching attach: (Promise<Int>) -> Attached) -> Attached {
    settle(with: outcome.result, attaching: attach)
  }

  /// Does the same with the pending promise of an owner.
  @discardableResult
  func settle<Value: Sendable, Attached>(
    _ deferred: Deferred<Value>, with result: Result<Value, any Error>, attaching attach: () -> Attached
  ) -> Attached {
    switch self {
    case .fromBirth, .already:
      #expect(deferred.settle(result))
      return attach()
    case .later:
      let attached = attach()
      #expect(deferred.settle(result))
      return attached
    case .fromAnotherThread:
      let attached = attach()
      #expect(onAnotherThread { deferred.settle(result) })
      return attached
    }
  }
}

/// Runs the body on another thread and returns its answer. Expectations must follow this call, because inside the body
/// they would belong to no test.
func onAnotherThread<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer {
  let answers = Log<Answer>()
  race([{ answers.append(body()) }])
  return answers.entries[0]
}
