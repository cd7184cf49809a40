/// One of the things that a workload compares.
struct Subject: Sendable {
  let name: Name

  /// Runs one round of `count` units in the main thread, checks that all of it happened, and returns its times.
  /// Preparation and the release of memory happen before and after, and are not timed.
  let run: @Sendable (_ count: Int) throws -> Timing

  /// A round of the subject has as many units as a round of its workload, divided by this.
  private(set) var divisor = 1

  enum Name: String, Sendable, CaseIterable {
    /// This library, used as a client uses it.
    case promise
    /// The baseline of the workload in raw GCD.
    case gcd
    /// Another way to write the baseline, printed for orientation: each `queue.async` inside the one before.
    case gcdNested = "gcd-nested"
    /// Swift concurrency.
    case concurrency
    /// This library too, where a workload compares it with itself: with nothing held, or by one thread.
    case baseline
    /// Allocation and release of as many objects, by as many threads as the promise has. No library scales better.
    case objects
    /// The same by one thread.
    case objectsBaseline = "objects-baseline"
  }

  /// Returns the subject with fewer units in a round, for a subject of orientation that would take most of the time of a run.
  func withUnits(dividedBy divisor: Int) -> Subject {
    var fewer = self
    fewer.divisor = divisor
    return fewer
  }

  /// - Parameter run: returns nanoseconds per unit.
  init(_ name: Name, run: @escaping @Sendable (_ count: Int) throws -> Double) {
    self.init(name, trips: { Timing(nanosecondsPerUnit: try run($0)) })
  }

  /// - Parameter trips: returns also the time of each single unit.
  init(_ name: Name, trips: @escaping @Sendable (_ count: Int) throws -> Timing) {
    self.name = name
    run = trips
  }
}
