import Testing

/// The suites that use the tally, and so must not run at the same time.
@Suite("Rounds that share the tally", .serialized)
enum CountingTests {}
