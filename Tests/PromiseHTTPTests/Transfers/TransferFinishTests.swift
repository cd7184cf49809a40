import Testing

@testable import PromiseHTTP

@Suite("Requests: when the work behind a promise has finished", .rule("2.11", "4.5")) struct TransferFinishTests {
  private let deferred = Deferred<Int>()
  private let transfer = RequestTransfer(
    into: ResponseBody(), atMost: 1, reportingSent: false, to: { _, _ in }, completion: { _ in })
  private let isStopped = Log<Bool>()

  @Test("A cancelled promise has finished when the request has ended")
  func cancelled() {
    transfer.isAwaited(by: deferred) { [isStopped] in isStopped.append(true) }
    deferred.promise.cancel()
    #expect(isStopped.entries == [true])
    #expect(!deferred.promise.isFinished)
    transfer.endUnsent(because: CancellationError())
    #expect(deferred.promise.isFinished)
  }

  @Test("A promise that the transfer rejects while its request runs has finished when that has ended")
  func rejected() {
    transfer.settles(deferred)
    transfer.willOutlastPromise()
    deferred.reject(TestError(1))
    #expect(deferred.promise.isRejected)
    #expect(!deferred.promise.isFinished)
    transfer.endUnsent(because: TestError(1))
    #expect(deferred.promise.isFinished)
    _ = deferred.promise.error
  }

  @Test("A stream that is refused while its request runs has finished when that has ended", arguments: [true, false])
  func refused(outlastsPromise: Bool) {
    let head = Deferred<HTTPStream>()
    let end = Deferred<Void>()
    let body = BodyStream(head: head, end: end, idleLimit: nil, timers: HandRungTimers())
    transfer.settles(end)
    if outlastsPromise { transfer.willOutlastPromise() }
    body.refuse(because: TestError(1))
    #expect(head.promise.isRejected)
    #expect(head.promise.isFinished == !outlastsPromise)
    transfer.endUnsent(because: TestError(1))
    #expect(head.promise.isFinished)
    _ = head.promise.error
  }

  @Test("A request that is lost does not keep a cancelled promise from finishing")
  func lost() {
    let deferred = Deferred<Int>()
    do {
      let transfer = RequestTransfer(
        into: ResponseBody(), atMost: 1, reportingSent: false, to: { _, _ in }, completion: { _ in })
      transfer.isAwaited(by: deferred) {}
      deferred.promise.cancel()
    }
    #expect(deferred.promise.isFinished)
  }
}
