/// One of the things that a workload compares.
struct Subject: Sendable {
  let name: Name

  /// Runs one round of so many units, checks that all of it happened, and returns nanoseconds per unit. Runs in the
  /// main thread. What must not be timed (preparation, letting memory go) it does before and after its own timing.
  let run: @Sendable (_ count: Int) throws -> Double

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

  init(_ name: Name, run: @escaping @Sendable (_ count: Int) throws -> Double) {
    self.name = name
    self.run = run
  }
}
