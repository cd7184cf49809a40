/// A measurement of memory or size, which is done once and not timed, because its result is the same in each run.
///
/// To add a gauge, write a file in `Gauges/` with a static constant and name it in ``Gauge/all``.
struct Gauge: Sendable {
  let id: String
  let title: String
  /// Returns the figures, or an empty list on a system on which they cannot be measured.
  let measure: @Sendable (Mode) throws -> [Figure]

  static let all: [Gauge] = [.m1, .m2, .m3, .s1, .s2]
}
