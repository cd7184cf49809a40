import Testing

/// All tests of this target, one after the other: races need the machine's cores for themselves, and measurements of memory the
/// process.
@Suite(.serialized)
enum Stress {}

extension Tag {
  /// Takes more than a second in debug builds.
  @Tag static var slow: Self
}
