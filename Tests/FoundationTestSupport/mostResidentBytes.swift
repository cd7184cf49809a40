#if os(Linux)
  import Foundation
  import Testing

  /// Returns the greatest number of bytes that this process has had in memory.
  package func mostResidentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1_024
  }
#endif
