import Foundation

/// The memory that the process has in use, after the allocator gave back what it could. 0 under ThreadSanitizer, whose own
/// memory would count. Under AddressSanitizer what is allocated and not freed: there the process grows by much that is the
/// sanitizer's, even when Dispatch alone is at work.
///
/// Other tests count too. Who measures belongs to the `Stress` suite, beside which `make test-slow` runs nothing.
public func residentBytes(trimming: Bool = true) -> Int {
  typealias Trim = @convention(c) (Int) -> CInt
  typealias Allocated = @convention(c) () -> Int
  if unsafe dlsym(nil, "__tsan_init") != nil { return 0 }
  if let allocated = unsafe dlsym(nil, "__sanitizer_get_current_allocated_bytes") {
    return unsafe unsafeBitCast(allocated, to: Allocated.self)()
  }
  if trimming, let trim = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(trim, to: Trim.self)(0) }
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
}

/// The smallest growth of memory in use over several runs of the body; over one, if that is below the bound. A measurement that looks
/// bad is worth repeating: noise passes, a leak does not.
public func leastGrowth(below bound: Int, _ body: () throws -> Void) rethrows -> Int {
  var least = Int.max
  for _ in 0..<8 where least >= bound {
    let before = residentBytes()
    try body()
    least = min(least, residentBytes() - before)
  }
  return least
}
