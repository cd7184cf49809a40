import Foundation
import Synchronization

/// How much memory the process takes more while a round runs than when it began. Known on Linux only.
final class Growth: Sendable {
  /// The most that was seen since it was last taken, in bytes; below 0: nothing was.
  private static let peak = Atomic<Int>(-1)

  /// What was seen, `nil` if nothing was; forgets it.
  static func take() -> Int? {
    let bytes = peak.exchange(-1, ordering: .relaxed)
    return bytes < 0 ? nil : bytes
  }

  private let start = residentBytes

  /// To be called now and then while the round runs. It reads a file: some 10 µs.
  func sample() {
    guard let start, let now = Self.residentBytes else { return }
    Self.peak.max(max(now - start, 0), ordering: .relaxed)
  }

  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
  }
}
