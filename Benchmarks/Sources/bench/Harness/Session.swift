/// The measurements of one process for a workload.
///
/// Two threads that share data meet in the same way for the life of a process, and differently in the next one. So
/// rounds of one process only repeat one of the speeds that a burst can have, and a ``Outcome`` takes several sessions.
struct Session: Sendable {
  let rounds: Int
  /// Whether the threads ran on the cores that the workload requires.
  let isPinned: Bool
  /// The most bytes by which the process grew in a round of the promise, or `nil` if the workload takes no samples.
  let growth: Int?
  let spreads: [(subject: Subject.Name, spread: Spread)]

  func spread(of subject: Subject.Name) -> Spread? { spreads.first { $0.subject == subject }?.spread }

  /// Returns a time of a subject divided by that of another one in the same process, or `nil` if one of them is
  /// missing.
  func ratio(of subject: Subject.Name, to reference: Subject.Name, by time: (Spread) -> Double?) -> Double? {
    guard spreads.count > 1, let own = spread(of: subject).flatMap(time) else { return nil }
    return spread(of: reference).flatMap(time).map { own / $0 }
  }
}

extension Session {
  /// Reads the rows that a process has written to its `results.json`.
  ///
  /// - Throws: if the rows do not belong to the workload, or lack one of its subjects.
  init(_ rows: [Row], of workload: Workload) throws {
    spreads = try workload.subjects.map { subject in
      let found = rows.first { $0.workload == workload.id && $0.subject == subject.name.rawValue }
      guard let row = found, let spread = row.spread else {
        throw BenchError.process("its results have no \(subject.name.rawValue) of \(workload.id)")
      }
      return (subject.name, spread)
    }
    rounds = rows.first?.rounds ?? 0
    isPinned = rows.first?.isPinned ?? false
    growth = rows.compactMap(\.growthBytes).max()
  }
}
