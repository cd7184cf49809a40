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

  @Test("A response that comes after a body was too large changes nothing")
  func responseAfterFailure() throws {
    let target = FileManager.default.temporaryDirectory.appending(path: "Promises-\(UUID().uuidString)")
    let url = try #require(URL(string: "http://localhost/"))
    let areTooLarge = Log<Bool>()
    let transfer = RequestTransfer(
      into: try ResponseBody(beside: target), atMost: 1, reportingSent: false, to: { _, _ in },
      completion: { result in
        if case .failure(TransferError.bodyTooLarge) = result {
          areTooLarge.append(true)
        } else {
          areTooLarge.append(false)
        }
      })
    let task = URLSession.shared.dataTask(with: url)
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    transfer.begin(response, of: task)
    transfer.receive(Data([1, 2]), of: task) {}
    transfer.begin(response, of: task)
    transfer.receive(Data([3]), of: task) {}
    #expect(areTooLarge.entries == [true])
    #expect(!FileManager.default.fileExists(atPath: target.path))
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
