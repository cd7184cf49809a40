import TestSupport
import Testing

/// All tests of this target, one after the other: races need the machine's cores for themselves, measurements of memory the process,
/// and what takes seconds or blocks threads would keep others waiting. `make test-slow` runs nothing beside them.
@Suite(.serialized, .leavingNothing)
enum Stress {}
