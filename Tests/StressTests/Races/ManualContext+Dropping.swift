import TestSupport

extension ManualContext {
  /// Lets all waiting jobs go unrun, one after the other. Like `dropAll`, which in release builds lets them go under its
  /// lock, so that what they schedule in turn finds the lock taken.
  func dropEach() {
    for _ in 0..<count { _ = takeFirst() }
  }
}
