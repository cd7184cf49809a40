import Foundation
import TestSupport
import Testing

@Suite("Progress that is observed, with a stand-in for key-value observation") struct ObservedProgressTests {
  private let progress = Foundation.Progress(totalUnitCount: 4)

  private func observation() throws -> ProgressObservation {
    let progress = progress
    return try #require(ProgressObservation.begun.entries.first { $0.progress === progress })
  }

  @Test("The fraction is reported at once and after each change, until the promise is settled", .rule("5.1"))
  func reported() throws {
    let deferred = Deferred<Int>()
    progress.completedUnitCount = 1
    deferred.report(observing: progress)
    #expect(deferred.promise.progress == 0.25)
    progress.completedUnitCount = 2
    try observation().notify()
    #expect(deferred.promise.progress == 0.5)
    #expect(try observation().isValid)
    deferred.fulfill(1)
    #expect(try !observation().isValid && !progress.isCancelled)
  }

  @Test("A cancellation of the promise cancels the Progress", .rule("4.5"))
  func cancelled() throws {
    let deferred = Deferred<Int>()
    deferred.report(observing: progress)
    deferred.promise.cancel()
    #expect(progress.isCancelled)
    #expect(try !observation().isValid)
  }

  @Test("A promise that no client has asked for yet is not cancelled", .rule("4.0"))
  func unobserved() throws {
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
    deferred.report(observing: progress)
    let promise = deferred.promise
    #expect(promise.isPending)
    #expect(!progress.isCancelled)
    #expect(try observation().isValid)
    deferred.fulfill(1)
    #expect(promise.state.value == 1)
  }
}
