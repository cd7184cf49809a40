/// One of the implementations that a workload compares.
struct Subject: Sendable {
  let name: Name

  /// Runs one round of `count` units in the main thread, checks that all of its work was done, and returns its times.
  /// Does not time the preparation before the round and the release of memory after it.
  let run: @Sendable (_ count: Int) throws -> Timing

  /// The divisor of the number of units. A round of the subject has the units of a round of the workload, divided by
  /// this.
  private(set) var divisor = 1

  enum Name: String, Sendable, CaseIterable {
    /// This library, used as a client uses it.
    case promise
    /// The baseline of the workload in raw GCD.
    case gcd
    /// Another form of the baseline, printed for orientation, in which each `queue.async` is inside the `queue.async`
    /// before it.
    case gcdNested = "gcd-nested"
    /// The same work in Swift concurrency.
    case concurrency
    /// This library in a simpler case, with which a workload compares it. Either nothing is held, or one thread runs
    /// alone.
    case baseline
    /// The allocation and release of objects of the same number and sizes as in the promise subject, by the same number
    /// of threads.
    case objects
    /// The same objects with one thread.
    case objectsBaseline = "objects-baseline"
  }

  /// Returns the subject with fewer units in a round. This is for subjects that serve for orientation and would take
  /// most of the time of a run.
  func withUnits(dividedBy divisor: Int) -> Subject {
    var fewer = self
    fewer.divisor = divisor
    return fewer
  }

  /// - Parameter run: returns nanoseconds per unit.
  init(_ name: Name, run: @escaping @Sendable (_ count: Int) throws -> Double) {
    self.init(name, trips: { Timing(nanosecondsPerUnit: try run($0)) })
  }

  /// - Parameter trips: returns the time of a round, and may return the time of each single unit.
  init(_ name: Name, trips: @escaping @Sendable (_ count: Int) throws -> Timing) {
    self.name = name
    run = trips
  }
}
