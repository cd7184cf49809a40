import Foundation

/// Ends the process if a round hangs: a handler that is lost must show up as a failure, not as a run that never ends.
///
/// A signal and not a time limit in each wait, because a wait with a limit costs more than one without, and it is
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

  /// Runs one round under guard.
  static func guarding<Result>(_ round: () throws -> Result) rethrows -> Result {
    alarm(seconds)
    defer { alarm(0) }
    return try round()
  }
}
