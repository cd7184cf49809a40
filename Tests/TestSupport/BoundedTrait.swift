import Foundation
public import Testing

extension Trait where Self == TimeLimitTrait {
  /// Each test of the suite fails, with a message, if it has not ended after some minutes: for tests that wait for real threads, where
  /// a defect of the library shows as a hang.
  ///
  /// Five minutes, so that a test that waits for a core on a busy machine is no failure. `PROMISE_TIME_LIMIT` sets another number.
  public static var bounded: Self { .timeLimit(.minutes(mostMinutes)) }
}

private let mostMinutes = unsafe getenv("PROMISE_TIME_LIMIT").flatMap { unsafe Int(String(cString: $0)) } ?? 5
