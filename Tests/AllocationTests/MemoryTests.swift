import CAllocations
import Testing

/// The gates of PERFORMANCE.md for memory. Counts do not jitter, so the thresholds are exact and fail in both
/// directions: more is a regression, and less is to be written down, so that it stays.
///
/// Only a release build has these counts: without the optimiser every closure that is passed on costs a block more.
/// And only where the allocator can be counted. Elsewhere the tests show as skipped, with the reason.
///
/// Each test is a small function that does one thing, as a client's code is: in one large function with forty of them
/// the optimiser did less, and the same `map` was seen to cost a block more.
@Suite(
  "Allocations",
  .enabled(if: isReleaseBuild, "allocation counts are those of a release build: swift test -c release"),
  .enabled(if: allocations_are_counted(), "the allocator is counted on 64-bit Linux only, and not under a sanitizer"))
enum MemoryTests {}

/// SwiftPM defines `DEBUG` in debug builds.
private var isReleaseBuild: Bool {
  #if DEBUG
    false
  #else
    true
  #endif
}
