/// A timed comparison, as in a row of Docs/Performance.md. It has subjects, cores and a goal.
///
/// To add a workload, write a file in `Workloads/` with a static constant and name it in ``Workload/all``.
struct Workload: Sendable {
  let id: String
  let title: String
  /// A description of the ``reference``, whose median is the denominator of the ratios.
  let baseline: String
  /// The ratio that the project works towards, or `nil` if there is none.
  var goal: Double?
  /// The ratio of the 99th percentiles of single trips that the project works towards.
  var p99Goal: Double?
  /// Whether the times of a subject are those of its rounds or those of its single trips.
  var sampled = Samples.Unit.round
  let pinning: Pinning
  /// The name of one unit, such as "round trip", "promise" or "link".
  let unit: String
  /// The number of units of one round in a full run.
  let count: Int
  /// The number of units of one round in a quick run.
  let quickCount: Int
  /// The number of rounds in a full run and in a quick run, or `nil` if the mode determines it.
  var rounds: (full: Int, quick: Int)?
  /// The number of processes in a full run. A burst between two cores needs ``processesOfBursts``.
  var processes = 5
  /// The subjects, one of which is the ``reference``. They run in this order, and in the reverse order in every second
  /// round.
  private(set) var subjects: [Subject]

  /// The subject with which others are compared. It is GCD, the library itself, or Swift concurrency if GCD has no
  /// equivalent.
  var reference: Subject.Name {
    [.gcd, .baseline].first { name in subjects.contains { $0.name == name } } ?? .concurrency
  }

  /// Returns the subject whose median is the denominator of a subject's ratio. It is the ``reference``, but objects are
  /// compared with objects.
  func reference(of subject: Subject.Name) -> Subject.Name {
    subject == .objects || subject == .objectsBaseline ? .objectsBaseline : reference
  }

  /// Returns the workload with only one of its subjects, or `nil` if it has no such subject.
  func only(_ name: Subject.Name) -> Workload? {
    var narrowed = self
    narrowed.subjects.removeAll { $0.name != name }
    return narrowed.subjects.isEmpty ? nil : narrowed
  }

  func count(in mode: Mode) -> Int { mode == .full ? count : quickCount }

  /// Returns the number of processes that measure the workload. In a quick run, the process of the run measures it.
  func processes(in mode: Mode) -> Int { mode == .full ? processes : 1 }

  /// Two threads that share data have one of several speeds for the life of a process. With twelve processes, two
  /// measurements of the same code agree.
  static let processesOfBursts = 12

  func rounds(in mode: Mode) -> Int? { mode == .full ? rounds?.full : rounds?.quick }
}
