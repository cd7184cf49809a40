import Foundation
import Synchronization

/// Measures by how much the memory of the process grows while a round runs. The growth is known only on Linux.
final class Growth: Sendable {
  /// The most growth in bytes since the last call of `take()`, or a negative number if there is no sample.
  private static let peak = Atomic<Int>(-1)

  /// Returns the most growth of all samples, or `nil` if there is none, and resets it.
  static func take() -> Int? {
    let bytes = peak.exchange(-1, ordering: .relaxed)
    return bytes < 0 ? nil : bytes
  }

  private let start = residentBytes

  /// Takes a sample. A round calls this function from time to time. It reads a file, which takes about 10 µs.
  func sample() {
    guard let start, let now = Self.residentBytes else { return }
    Self.peak.max(max(now - start, 0), ordering: .relaxed)
  }

  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
  }
}
