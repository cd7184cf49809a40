import Foundation
public import Testing

extension Trait where Self == TimeLimitTrait {
  /// Fails each test of the suite that has not ended after half an hour. It is for tests that wait for real threads,
  /// where a defect of the library shows as a hang.
  ///
  /// Only a hang reaches the limit (see ``HangLimit``). `PROMISE_TIME_LIMIT` sets another number of minutes.
  public static var bounded: Self { .timeLimit(.minutes(mostMinutes)) }
}

private let mostMinutes =
  unsafe getenv("PROMISE_TIME_LIMIT").flatMap { unsafe Int(String(cString: $0)) } ?? HangLimit.seconds / 60
