import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Foundation's Progress reported by an owner")
struct ReportedProgressTests {
  @Test("A Progress is reported as its fraction, including its children", .rule("5.1"))
  func reported() {
    let deferred = Deferred<Int>()
    let total = Foundation.Progress(totalUnitCount: 2)
    let part = Foundation.Progress(totalUnitCount: 10, parent: total, pendingUnitCount: 1)
    #expect(!deferred.report(progress: total))
    part.completedUnitCount = 5
    #expect(deferred.report(progress: total))
    #expect(deferred.promise.progress == 0.25)
    part.completedUnitCount = 10
    total.completedUnitCount += 1
    #expect(deferred.report(progress: total))
    #expect(deferred.promise.progress == 1)
  }

  @Test("An indeterminate or falling Progress is not reported", .rule("5.1"))
  func dropped() {
    let deferred = Deferred<Int>()
    deferred.report(progress: 0.5)
    #expect(!deferred.report(progress: Foundation.Progress(totalUnitCount: -1)))
    #expect(!deferred.report(progress: Foundation.Progress(totalUnitCount: 0)))
    let fallen = Foundation.Progress(totalUnitCount: 10)
    fallen.completedUnitCount = 4
    #expect(!deferred.report(progress: fallen))
    #expect(deferred.promise.progress == 0.5)
  }
}
