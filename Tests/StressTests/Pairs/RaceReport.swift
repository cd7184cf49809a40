import Foundation

/// Writes how often each side of each race came first to the file that `PROMISE_RACES` names (`make proof ONLY=races`).
/// Each race has a line, with fields separated by tabs.
enum RaceReport {
  private static let path = unsafe getenv("PROMISE_RACES").map { unsafe String(cString: $0) }

  /// - Parameter together: The number of rounds in which both operations were seen to be under way at the same time, if
  ///   known.
  static func add(_ name: String, first: Int, second: Int, together: Int? = nil) {
    guard let path else { return }
    let fields = [name, "\(first + second)", "\(first)", "\(second)", together.map { "\($0)" } ?? "-"]
    guard let file = unsafe fopen(path, "a") else { return }
    unsafe fputs(fields.joined(separator: "\t") + "\n", file)
    unsafe fclose(file)
  }
}
