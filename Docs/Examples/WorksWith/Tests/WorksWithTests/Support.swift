import Foundation
import PromiseContexts
import Synchronization
import Testing

/// A list of events in order, to which any thread may append.
final class Log<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }

  var entries: [Entry] { storage.withLock { $0 } }
}

/// An error with a number, to tell one from another.
struct TestError: Error, Equatable {
  let number: Int
  init(_ number: Int = 0) { self.number = number }
}

/// Waits until another thread makes the condition true, and returns whether it does. The wait is counted in yields of
/// the Task, and not by a clock.
func eventually(_ isTrue: () -> Bool) async -> Bool {
  for _ in 0..<10_000_000 {
    if isTrue() { return true }
    await Task.yield()
  }
  return isTrue()
}

/// Returns the error of a promise that is rejected.
func rejection<Value>(of promise: Promise<Value>) async -> (any Error)? {
  do {
    _ = try await promise.value
    return nil
  } catch {
    return error
  }
}

extension Trait where Self == TimeLimitTrait {
  /// Fails a test that hangs. `PROMISE_TIME_LIMIT` sets the number of minutes.
  static var bounded: Self {
    .timeLimit(.minutes(ProcessInfo.processInfo.environment["PROMISE_TIME_LIMIT"].flatMap { Int($0) } ?? 5))
  }
}
