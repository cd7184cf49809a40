/// What is measured once and not timed, because it is the same in each run: memory and size.
///
/// To add one, write a file in `Gauges/` with a static constant and name it in ``Gauge/all``.
struct Gauge: Sendable {
  let id: String
  let title: String
  /// Empty where this system has no means to measure it.
  let measure: @Sendable (Mode) throws -> [Figure]

  static let all: [Gauge] = [.m1, .m2, .m3, .s1, .s2]
}
