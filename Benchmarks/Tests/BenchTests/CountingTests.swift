import Testing

/// The suites that count in the one tally, and so must not run at the same time.
@Suite("rounds that count", .serialized)
enum CountingTests {}
