import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Foundation's Progress: reported by an owner")
struct ReportedProgressTests {
  @Test("rule 5.1, row N8: a Progress is reported as its fraction, with its children")
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

  @Test("rule 5.1, row N8: an indeterminate Progress, or one that falls, is dropped")
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
