import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: cancellation")
  struct CancelDepthTests {
    /// The length of a line. Quick runs use a fifth of the depth. Recursion would still overflow the small stack, and
    /// nonlinear time would still show.
    private static let long = Effort.of(deep / 5, full: deep)

    @Test(
      "A cancel during another cancel of a long line of held promises cancels every promise", .rule("4.3", "6.4"),
      arguments: [true, false], Place.some)
    func meeting(recovers: Bool, _ place: Place) async {
      await place.expect {
        let context = Trampoline()
        let (source, inner) = (Promise.fulfilled(0), Deferred<Int>())
        var line = [source.then(on: context) { _ in inner.promise }]
        context.run()
        // The cancel of `inner` fires this observer first.
        _ = inner.promise.attachObserver(on: nil, handling: .error) { _, _ in
          source.cancel()
          return .nothing
        }
        for index in 0..<Self.long {
          line.append(recovers ? line[index].recover(on: context) { _ in 0 } : line[index].map(on: context) { $0 })
        }
        inner.promise.cancel()
        context.run()
        defer { while line.popLast() != nil {} }
        return line.allSatisfy { $0.isCancelled }
      }
    }

    @Test(
      "A promise with 100,000 links cancels all of them and releases their captures", .rule("4.2", "4.9"),
      arguments: Place.most)
    func wide(_ place: Place) async {
      let census = Tracked.Census()
      await place.expect {
        let context = Trampoline()
        let owner = Deferred<Int>()
        let links = (0..<100_000).map { _ in
          owner.promise.map(on: context) { [tracked = Tracked(census)] value in withExtendedLifetime(tracked) { value }
          }
        }
        owner.promise.cancel()
        return links.allSatisfy { $0.isCancelled } && census.living == 0
      }
    }
  }
}
