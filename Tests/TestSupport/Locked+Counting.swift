package import PromiseTesting

extension Locked<Int> {
  /// Adds 1, and returns the new value.
  package func increment() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
