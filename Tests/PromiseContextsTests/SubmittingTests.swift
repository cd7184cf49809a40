import Dispatch
import TestSupport
import Testing

/// A dispatch queue as a context, with or without blocks.
final class SubmittingContext: ExecutionContext {
  private let queue: DispatchQueue
  private let isBarrier: Bool
  private let usesBlock: Bool

  init(_ queue: DispatchQueue, asBarrier isBarrier: Bool, usingBlock usesBlock: Bool) {
    (self.queue, self.isBarrier, self.usesBlock) = (queue, isBarrier, usesBlock)
  }

  func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { queue.submit(job, asBarrier: isBarrier, usingBlock: usesBlock) }
  }
}

@Suite("Submission of jobs to Dispatch", .bounded) struct SubmittingTests {
  @Test(
    "Handlers run once and in order on a serial queue", .rule("2.1", "2.2"), arguments: [false, true], [false, true])
  func order(asBarrier isBarrier: Bool, usingBlock usesBlock: Bool) async throws {
    let context = SubmittingContext(DispatchQueue(label: "serial"), asBarrier: isBarrier, usingBlock: usesBlock)
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    let promises = (0..<100).map { number in deferred.promise.tap(on: context) { _ in log.append(number) } }
    deferred.fulfill(0)
    for promise in promises { _ = try await promise.value }
    #expect(log.entries == Array(0..<100))
  }

  @Test("A barrier has a concurrent queue to itself", .rule("2.7"), arguments: [false, true])
  func barrier(usingBlock usesBlock: Bool) async throws {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let context = SubmittingContext(queue, asBarrier: true, usingBlock: usesBlock)
    let promise = Promise.fulfilled(1).tap(on: context) { _ in
      // Stops the process if the handler does not run as a barrier.
      dispatchPrecondition(condition: .onQueueAsBarrier(queue))
    }
    #expect(try await promise.value == 1)
  }

  @Test("A job that has run is released", .rule("6.3"), arguments: [false, true])
  func release(usingBlock usesBlock: Bool) async throws {
    let queue = DispatchQueue(label: "serial")
    let context = SubmittingContext(queue, asBarrier: true, usingBlock: usesBlock)
    weak var input: Log<Int>?
    let promise = {
      let log = Log<Int>()
      input = log
      // The link retains its source, and so the value, until the link itself is released.
      return Promise.fulfilled(log).map(on: context) { _ in 1 }
    }()
    _ = try await promise.value
    // The job ends after the promise is settled and before the queue runs the next block.
    queue.sync {}
    #expect(input == nil)
  }

  @Test("A promise is released when its job has run", .rule("6.1"), arguments: [false, true])
  func releasedPromise(usingBlock usesBlock: Bool) {
    let queue = DispatchQueue(label: "serial")
    let context = SubmittingContext(queue, asBarrier: false, usingBlock: usesBlock)
    weak var derived: Promise<Int>?
    derived = Promise.fulfilled(1).map(on: context) { $0 }
    queue.sync {}
    #expect(derived == nil)
  }

  @Test("The queue may be released before its jobs have run", .rule("2.1"), arguments: [false, true])
  func releasedQueue(usingBlock usesBlock: Bool) async throws {
    let go = Gate()
    weak var released: DispatchQueue?
    let promise = {
      let queue = DispatchQueue(label: "serial")
      released = queue
      queue.async { go.wait("go") }
      let context = SubmittingContext(queue, asBarrier: true, usingBlock: usesBlock)
      return Promise.fulfilled(1).map(on: context) { $0 + 1 }
    }()
    #if !canImport(Darwin)
      // This is the object of Swift. Dispatch retains its own object while the queue has work.
      #expect(released == nil)
    #endif
    go.open()
    #expect(try await promise.value == 2)
  }

  @Test("The C queue is found on this system")
  func reachable() { #expect(CQueue.isReachable) }

  #if !canImport(Darwin)
    @Test("An object with another layout is not taken for a queue")
    func impostors() {
      let concurrent = DispatchQueue(label: "a concurrent queue", attributes: .concurrent)
      for queue in [DispatchQueue(label: "a queue"), concurrent, .global(), .main] {
        #expect(CQueue.isReachable(in: queue))
      }
      let others: [AnyObject] = [OtherName(), OtherType(), OtherPlace(), Empty()]
      for object in others { #expect(!CQueue.isReachable(in: object), "\(object)") }
    }

    // Safe, because the pointer is compared and never followed.
    private static var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: 0x1000) }

    @safe private final class OtherName { let wrapped = unsafe SubmittingTests.pointer }
    // The property has the name that Dispatch uses.
    // swift-format-ignore
    private final class OtherType { let __wrapped = UInt(0x1000) }
    private class Superclass { let first = 1 }
    // swift-format-ignore
    @safe private final class OtherPlace: Superclass { let __wrapped = unsafe SubmittingTests.pointer }
    private final class Empty {}
  #endif
}
