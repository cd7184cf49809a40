import Foundation
import PromiseCombinators
import PromiseTesting
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

/// Waits until another thread makes the condition true, and returns whether it does. The trait `bounded` of the suite
/// cancels a test that hangs.
func eventually(_ isTrue: () -> Bool) async -> Bool {
  while !isTrue(), !Task.isCancelled { await Task.yield() }
  return isTrue()
}

/// A resource whose use the test waits for. It logs its release.
struct UsedResource: Sendable {
  let log = Log<String>()
  private let context = ManualContext()

  /// Begins the use.
  func use<Value>(_ body: @escaping @Sendable () -> Promise<Value>) -> Promise<Value> {
    let resource = Resource(
      { Promise.fulfilled(()) },
      release: { [log] in
        log.append("released")
        return Promise.fulfilled(())
      }, on: context)
    defer { context.runUntilIdle() }
    return Promise.using(resource, on: context) { _ in body() }
  }

  /// Cancels the use, and returns what was logged before its work has ended.
  func cancel<Value>(_ use: Promise<Value>) -> [String] {
    use.cancel(upstream: true)
    context.runUntilIdle()
    return log.entries
  }

  /// Waits for the end of the use.
  func finish<Value>(_ use: Promise<Value>) async -> Bool {
    await eventually {
      context.runUntilIdle()
      return use.isFinished
    }
  }
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
  /// Fails and cancels a test that hangs. `PROMISE_TIME_LIMIT` sets the number of minutes.
  static var bounded: Self {
    .timeLimit(.minutes(ProcessInfo.processInfo.environment["PROMISE_TIME_LIMIT"].flatMap { Int($0) } ?? 30))
  }
}
