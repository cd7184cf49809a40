import PromiseCore
import TestSupport
import Testing

@Suite("Progress: rings")
struct RingProgressTests {
  @Test("A ring that an observed promise closes is still found", .rule("5.4", "3.2"))
  func ring() {
    let (context, shown) = (ManualContext(), ManualContext())
    let log = Log<Double>()
    let owner = Deferred<Int>()
    let end = owner.promise.map(on: context, weight: 1) { $0 }
    end.onProgress(on: shown) { log.append($0) }
    owner.report(progress: 0.5)
    owner.follow(end)
    #expect(end.isRejected)
    #expect(end.progress == 0.25)
    shown.runUntilIdle()
    #expect(log.entries == [0.25])
  }
}
