import CAllocations
import Testing

/// Checks the thresholds for memory in Docs/Performance.md. Counts do not vary between runs, so a test fails if a count
/// is higher or lower than expected. A higher count is a regression. A lower count must be written down, so that it
/// remains.
///
/// For up to four blocks a test states their sizes, which a reader can follow to the fields of the objects. For more, it
/// states the number of the blocks and the sum of their sizes, and a failure shows the sizes.
///
/// Only a release build has these counts, because without the optimiser each closure that is passed on needs another
/// block. The allocator can be counted only on some platforms. On other platforms the tests are skipped, with the
/// reason.
///
/// Each test is a small function that does one thing, as code of a client is. In one large function with forty
/// operations the optimiser did less, and the same `map` allocated one more block.
@Suite(
  "Allocations", .enabled(if: isReleaseBuild, "allocation counts are those of a release build: swift test -c release"),
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
