import Foundation

/// Ends the process if a round hangs, so that a lost handler shows up as a failure and not as a run that never ends.
///
/// It uses a signal instead of a time limit in each wait, because a wait with a limit is more expensive, and waits are
/// timed.
enum Watchdog {
  static let seconds: UInt32 = 600

  static func install() {
    signal(SIGALRM) { _ in
      let message: StaticString = "\nbench: a round hangs: not all of its handlers have run within 600 s\n"
      _ = unsafe write(2, message.utf8Start, message.utf8CodeUnitCount)
      _exit(1)
    }
  }

  /// Runs one round, and ends the process if the round takes too long.
  static func guarding<Result>(_ round: () throws -> Result) rethrows -> Result {
    alarm(seconds)
    defer { alarm(0) }
    return try round()
  }
}
