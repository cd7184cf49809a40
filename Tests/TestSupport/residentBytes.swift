import Foundation

/// The memory that the process has in use now, after the allocator gave back what it could. Other tests run at the same time,
/// so a measurement that looks bad is worth repeating: noise passes, a leak does not.
public func residentBytes() -> Int {
  typealias Trim = @convention(c) (Int) -> CInt
  if let trim = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(trim, to: Trim.self)(0) }
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
}

/// The smallest growth of memory in use over several runs of the body.
public func leastGrowth(_ body: () -> Void) -> Int {
  var least = Int.max
  for _ in 0..<5 where least > 4 << 20 {
    let before = residentBytes()
    body()
    least = min(least, residentBytes() - before)
  }
  return least
}
