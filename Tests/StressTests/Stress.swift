import TestSupport
import Testing

/// All tests of this target, one after another. Races need all cores of the machine, measurements of memory need the
/// process to themselves, and slow or blocking tests would delay other tests. `make test-slow` runs no other tests
/// beside them.
@Suite(.serialized, .leavingNothing)
enum Stress {}
