import PromiseContexts
import TestSupport

extension Promise {
  /// The value, if there is one by now. Looks at the error, if there is one.
  var valueNow: Value? { try? result?.get() }

  /// The number of the `TestError`, if that is what it was rejected with.
  var errorNumber: Int? {
    guard case .failure(let error) = result else { return nil }
    return (error as? TestError)?.number
  }
}

/// Numbers without a lock: only handlers that never overlap may touch them.
final class Unprotected: @unchecked Sendable {
  // `@unchecked`: that is what is tested.
  private(set) var count = 0
  private var inside = 0
  private(set) var most = 0

  /// As if a handler took its time: another that may run beside it has the opportunity.
  func visit() {
    inside += 1
    most = max(most, inside)
    let before = count
    for _ in 0..<200 where inside < 1 { most = .max }
    count = before + 1
    inside -= 1
  }
}

/// What is kept for a closure that is written before it.
final class Box<Content: Sendable>: Sendable {
  private let content = Locked<Content?>(nil)
  var value: Content? {
    get { content.withLock { $0 } }
    set {
      let old = content.withLock { content in
        defer { content = newValue }
        return content
      }
      withExtendedLifetime(old) {}
    }
  }
}

extension TestClock {
  /// Since the world began.
  var time: Duration { now.offset }
}

extension TestWorld {
  /// Since the world began.
  var time: Duration { clock.time }

  /// Lets the closure run as a job of the context.
  func job(on context: any ExecutionContext, _ body: @escaping @Sendable () -> Void) {
    _ = run { Promise.run(on: context, body) }
  }
}
