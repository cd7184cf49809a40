package import PromiseTesting

extension Locked<Int> {
  /// One more; returns how many there are then.
  package func increment() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
