/// One line of PERFORMANCE.md: what is timed, against what, on which cores, and what it should cost.
///
/// To add one, write a file in `Workloads/` with a static constant and name it in ``Workload/all``.
struct Workload: Sendable {
  let id: String
  let title: String
  /// What the ``reference`` does; the ratios are to its median.
  let baseline: String
  /// The highest ratio that meets the goal; `nil`: none is set.
  let goal: Double?
  /// The same for the 99th percentile of single trips.
  var p99Goal: Double?
  /// Whether the times of a subject are those of its rounds or those of its single trips.
  var sampled = Samples.Unit.round
  let pinning: Pinning
  /// What one unit is: "round trip", "promise", "link".
  let unit: String
  /// How many units one round times in a full run.
  let count: Int
  /// The same in a quick run.
  let quickCount: Int
  /// How many rounds are run in a full run and in a quick one; `nil`: as many as the mode says.
  var rounds: (full: Int, quick: Int)?
  /// One of them is the ``reference``. The subjects are run in this order, and in the opposite one in every second round.
  private(set) var subjects: [Subject]

  /// Raw GCD, or the library itself, or Swift concurrency where there is nothing to compare with in GCD.
  var reference: Subject.Name {
    [.gcd, .baseline].first { name in subjects.contains { $0.name == name } } ?? .concurrency
  }

  /// What the ratio of a subject is to: the ``reference``, but objects are compared with objects.
  func reference(of subject: Subject.Name) -> Subject.Name {
    subject == .objects || subject == .objectsBaseline ? .objectsBaseline : reference
  }

  /// With one subject alone; `nil`: it has no such subject.
  func only(_ name: Subject.Name) -> Workload? {
    var narrowed = self
    narrowed.subjects.removeAll { $0.name != name }
    return narrowed.subjects.isEmpty ? nil : narrowed
  }

  func count(in mode: Mode) -> Int { mode == .full ? count : quickCount }

  func rounds(in mode: Mode) -> Int? { mode == .full ? rounds?.full : rounds?.quick }
}
