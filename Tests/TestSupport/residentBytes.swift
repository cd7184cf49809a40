import Foundation

/// Returns the memory that the process has in use, after the allocator has given back unused memory.
///
/// Under ThreadSanitizer it returns 0, because memory of the sanitizer would count. Under AddressSanitizer it returns
/// the number of bytes that are allocated and not freed, because the sanitizer itself makes the process grow, even when
/// only Dispatch is at work. Memory of other tests counts too. So tests that call it belong in the `Stress` suite,
/// which `make test-slow` runs alone.
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

/// Returns the smallest growth of memory in use over several runs of the body, and stops after a run whose growth is
/// below the bound. A high value is measured again, because noise passes and a leak does not.
///
/// The first run is not measured. The process may return memory of earlier tests during it, which would hide a leak. A
/// later run during which the memory shrinks by as much as the bound does not count either.
public func leastGrowth(below bound: Int, _ body: () throws -> Void) rethrows -> Int {
  try body()
  var least = Int.max
  for _ in 0..<8 where least >= bound {
    let before = residentBytes()
    try body()
    let growth = residentBytes() - before
    if growth > -bound { least = min(least, growth) }
  }
  return least
}
