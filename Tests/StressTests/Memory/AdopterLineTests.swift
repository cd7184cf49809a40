import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: an endless line of adopters")
  struct AdopterLineTests {
    /// The bound in bytes for the growth of memory. It is 64 bytes for each adopter, in debug and in release builds.
    private static let bound = Effort.steps * 64

    @Test(
      "An endless line of derived promises that all adopt the same promise leaves little memory behind",
      .rule("4.2", "6.1"),
      arguments: [false, true])
    func line(isHeldWhenSettled: Bool) {
      let context = ManualContext()
      let (first, inner) = (Promise.fulfilled(0), Promise.fulfilled(1))
      var last = first.then(on: context) { _ in inner }
      let growth = leastGrowth(below: Self.bound) {
        for _ in 0..<Effort.steps {
          if isHeldWhenSettled { context.step() }
          last = last.then(on: context) { _ in inner }
          if !isHeldWhenSettled { context.step() }
        }
      }
      print("figures: \(Effort.steps) adopters, held: \(isHeldWhenSettled), \(growth) bytes more than before")
      #expect(growth < Self.bound)
      let below = last.map(on: context) { $0 }
      first.cancel()
      #expect(below.isCancelled)
    }
  }
}
