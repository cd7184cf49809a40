import Dispatch
import Foundation

/// The end of a wait that looks again and again for the work of another thread or process.
///
/// The tests of a run begin at the same time and share few threads. So each wait may last as long as the whole run, and
/// on a busy machine a run takes many times as long as otherwise. The limit is half an hour, so that only a hang
/// reaches it. `PROMISE_HANG_LIMIT` sets another number of seconds, for mutations that make tests hang.
public struct HangLimit {
  static let seconds = 1_800

  private let end = DispatchTime.now() + .seconds(mostSeconds)

  public init() {}

  public var isReached: Bool { .now() > end }
}

private let mostSeconds =
  unsafe getenv("PROMISE_HANG_LIMIT").flatMap { unsafe Int(String(cString: $0)) } ?? HangLimit.seconds
