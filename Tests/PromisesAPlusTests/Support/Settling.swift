import PromiseCore
import TestSupport
import Testing

/// The ways in which a promise comes by its outcome. Every clause holds for each of them.
enum Settling: String, CaseIterable, Sendable {
  /// The promise is made with its outcome.
  case fromBirth
  /// Its owner settles it before anything is attached.
  case already
  /// Its owner settles it after that, on the same thread.
  case later
  /// Its owner settles it after that, on another thread.
  case fromAnotherThread

  /// The ways in which an owner has his hands.
  static let byOwner: [Settling] = [.already, .later, .fromAnotherThread]

  /// The ways in which the promise is pending while things are attached to it.
  static let whilePending: [Settling] = [.later, .fromAnotherThread]

  /// Lets the body attach what it wants to a promise, which is settled when this returns. Runs no context.
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

  /// The same for a promise of numbers.
  @discardableResult
  func settle<Attached>(as outcome: Outcome, attaching attach: (Promise<Int>) -> Attached) -> Attached {
    settle(with: outcome.result, attaching: attach)
  }

  /// The same for the promise of an owner; it was pending before.
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

/// What the body answers on a thread of its own. Expectations belong behind this call: inside no test would own them.
func onAnotherThread<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer {
  let answers = Log<Answer>()
  race([{ answers.append(body()) }])
  return answers.entries[0]
}
