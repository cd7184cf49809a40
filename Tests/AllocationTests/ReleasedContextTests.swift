import TestSupport
import Testing

extension MemoryTests {
  /// Tests that entries release their contexts. A release build counts references in other places than a debug build,
  /// so these tests run in the tests of a release build.
  @Suite("Contexts that are no longer needed") struct ReleasedContextTests {
    enum End: CaseIterable { case run, dropped, passed, cancelled, alwaysCancelled, detached }

    private final class Context: ExecutionContext {
      private let runs: Bool

      init(runs: Bool) { self.runs = runs }

      func schedule(_ job: consuming Job) { if runs { job.run() } }
    }

    @Test("An entry releases its context, however it ends", .rule("2.5", "4.9", "6.1"), arguments: End.allCases)
    func released(_ end: End) {
      weak var context: Context?
      let owner = Deferred<Int>()
      let kept = attach(to: owner, until: end) { context = $0 }
      #expect(context == nil)
      withExtendedLifetime((owner, kept)) {}
    }

    /// Attaches an entry on a new context and brings it to its end. Returns the derived promise, if there is one.
    private func attach(to owner: Deferred<Int>, until end: End, onContext: (Context) -> Void) -> AnyPromise? {
      let context = Context(runs: end != .dropped)
      onContext(context)
      switch end {
      case .run, .dropped, .passed:
        let link = owner.promise.map(on: context) { $0 &+ 1 }
        if end == .passed { owner.reject(CancellationError()) } else { owner.fulfill(1) }
        return link
      case .cancelled:
        let link = owner.promise.map(on: context) { $0 &+ 1 }
        link.cancel()
        return link
      case .alwaysCancelled:
        let link = owner.promise.always(on: context) { _ in }
        link.cancel()
        return link
      case .detached:
        owner.promise.attachObserver(on: context, handling: [.value, .error]) { _, _ in .nothing }.detach()
        return nil
      }
    }
  }
}
