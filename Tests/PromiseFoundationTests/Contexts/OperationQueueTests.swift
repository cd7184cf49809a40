import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Operation queues as contexts", .bounded)
struct OperationQueueTests {
  @Test("Handlers on a serial queue run in the order in which they were attached", .rule("2.2"))
  func inOrder() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let deferred = Deferred<Int>()
    let order = Log<Int>()
    for number in 0..<500 { deferred.promise.onFulfilled(on: queue) { _ in order.append(number) } }
    let last = deferred.promise.map(on: queue) { $0 }
    deferred.fulfill(1)
    #expect(try await last.value == 1)
    #expect(order.entries == Array(0..<500))
  }

  @Test("Handlers on a concurrent queue overlap")
  func overlap() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let (first, second) = (Gate(), Gate())
    let promises = [
      Promise.fulfilled(1).tap(on: queue) { _ in
        first.open()
        second.wait("other handler")
      },
      Promise.fulfilled(2).tap(on: queue) { _ in
        second.open()
        first.wait("other handler")
      },
    ]
    for promise in promises { _ = try await promise.value }
  }

  @Test("A handler runs as one operation of the queue, and waits while the queue is suspended")
  func suspended() async throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let promise = Promise.fulfilled(1).map(on: queue) { _ in (OperationQueue.current === queue, queue.operationCount) }
    #expect(queue.operationCount == 1)
    #expect(promise.isPending)
    queue.isSuspended = false
    let (isCurrent, count) = try await promise.value
    #expect(isCurrent)
    #expect(count == 1)
  }

  @Test("An operation that is cancelled before it runs rejects with contextDropped", .rule("6.2"))
  func cancelled() async throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let promise = Promise.fulfilled(1).map(on: queue) { $0 }
    queue.cancelAllOperations()
    queue.isSuspended = false
    let error = try #require(await promise.failure)
    #expect(PromiseError.Code(error) == .contextDropped)
  }

  @Test("isCurrent is true in an operation of a serial queue, and nil elsewhere", .rule("7.2"))
  func isCurrent() async throws {
    let (serial, concurrent) = (OperationQueue(), OperationQueue())
    serial.maxConcurrentOperationCount = 1
    let inSerial = Promise.fulfilled(1).map(on: serial) { _ in [serial.isCurrent, concurrent.isCurrent] }
    let inConcurrent = Promise.fulfilled(1).map(on: concurrent) { _ in [serial.isCurrent, concurrent.isCurrent] }
    #expect(try await inSerial.value == [true, nil])
    #expect(try await inConcurrent.value == [nil, nil])
    #expect(serial.isCurrent == nil)
  }
}
