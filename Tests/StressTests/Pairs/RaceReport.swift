import Foundation

/// How often each side of each race came first, written to the file that `PROMISE_RACES` names (`make races`): a line for each race,
/// its fields separated by tabs.
enum RaceReport {
  private static let path = unsafe getenv("PROMISE_RACES").map { unsafe String(cString: $0) }

  /// - Parameter together: in how many rounds both were seen to be under way at the same time, where that is known.
  static func add(_ name: String, first: Int, second: Int, together: Int? = nil) {
    guard let path else { return }
    let fields = [name, "\(first + second)", "\(first)", "\(second)", together.map { "\($0)" } ?? "-"]
    guard let file = unsafe fopen(path, "a") else { return }
    unsafe fputs(fields.joined(separator: "\t") + "\n", file)
    unsafe fclose(file)
  }
}
