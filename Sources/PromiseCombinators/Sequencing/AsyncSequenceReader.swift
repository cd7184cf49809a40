import PromiseContexts
import PromiseCore

/// Passes the elements of an asynchronous sequence to the handlers that request them, one at a time and in order.
///
///     request ─▶ pending ─the Task reads an element─▶ fulfilled ─on the handler's context─▶ handler ─▶ handlerReturned
///                   ▲                                                                                         │
///                   └─────────────────── the Task looks at the next request ◀─────────────────────────────────┘
///
/// One Task reads the sequence, so the iterator need not be `Sendable`. The Task reads an element only when there is a
/// request, and when the handler of the element before has returned. While it has nothing to do, it is suspended.
///
/// Invariant: a pending request is in `requests`. A link does not retain the pending promise that it waits for, so
/// the request must be retained until it is settled. If the sequence throws, the result gives up its requests, which
/// cancels them.
final class AsyncSequenceReader<Element: Sendable>: @unchecked Sendable {
  /// An element with its index, or `nil` if the sequence has ended.
  typealias Next = (index: Int, element: Element)?

  // `@unchecked Sendable`, because the variables are used under the lock. Under the lock nothing is released, and no
  // user code runs (rule 6.5).
  private let lock = ShortLock()
  private var requests = CircularBuffer<Promise<Next>>()
  private var isHandling = false
  private var hasEnded = false
  /// Resumes the Task, which waits for a request.
  private var wakeSignal: Promise<Void>?
  /// The Task that reads the sequence.
  let task: AwaitedElements
  /// The result of the loop that requests the elements.
  private let loop: AnyPromise
  private let site: CreationSite

  init(for loop: AnyPromise, at site: CreationSite) {
    self.loop = loop
    self.site = site
    task = AwaitedElements("the next element", at: site)
  }

  /// Returns a promise for the next element.
  func request() -> Promise<Next> {
    let request = ResourcePromise<Next>(at: site, waitingFor: task)
    let (hasEnded, wakeSignal) = lock.locked {
      if !self.hasEnded { requests.append(request) }
      return (self.hasEnded, takeWakeSignal())
    }
    if hasEnded { request.fulfillIfPending(nil) }
    wakeSignal?.fulfillIfPending(())
    return request
  }

  /// Permits the next element. Call when the handler of the last element has returned, and not when it has thrown.
  func handlerReturned() {
    let wakeSignal = lock.locked {
      isHandling = false
      return takeWakeSignal()
    }
    wakeSignal?.fulfillIfPending(())
  }

  /// Takes the promise that resumes the Task, if there is work for it. Call under the lock.
  private func takeWakeSignal() -> Promise<Void>? { hasWork ? wakeSignal.take() : nil }

  /// Whether the Task may pass on an element: there is a request, and no handler runs. Call under the lock.
  private var hasWork: Bool { !isHandling && !requests.isEmpty }
}

// MARK: - The Task

extension AsyncSequenceReader {
  /// Reads the sequence to its end, one element for each request.
  ///
  /// - Throws: the error of the sequence, or `CancellationError` if the result has ended or the Task is cancelled while
  ///   no element is being read.
  func read<Elements: AsyncSequence>(_ elements: Elements) async throws where Elements.Element == Element {
    var iterator = elements.makeAsyncIterator()
    var index = 0
    while true {
      try await waitForRequest()
      guard let element = try await iterator.next(isolation: nil) else { return end() }
      lock.locked(takeRequest)?.fulfillIfPending((index, element))
      index += 1
    }
  }

  /// Suspends the Task until it has work.
  private func waitForRequest() async throws {
    while true {
      if let request = lock.locked({ hasWork ? requests[0] : nil }) {
        try loop.checkIsLooping()
        if request.isPending { return }
        // Given up, so the result is being settled on another thread, which then cancels this Task. An error that is
        // thrown here could settle the result before that thread does.
        _ = lock.locked { requests.popFirst() }
        continue
      }
      // Created outside the lock, because test environments observe each new promise.
      let wakeSignal = Promise<Void>(pendingAt: site)
      let mustWait = lock.locked {
        if hasWork { return false }
        self.wakeSignal = wakeSignal
        return true
      }
      if mustWait { try await wakeSignal.value }
    }
  }

  /// Removes the first request, whose handler will run next. Call under the lock.
  private func takeRequest() -> Promise<Next>? {
    isHandling = true
    return requests.popFirst()
  }

  /// Fulfils all requests with `nil`, because the sequence has ended.
  private func end() {
    var requests = lock.locked {
      hasEnded = true
      var all = CircularBuffer<Promise<Next>>()
      swap(&all, &self.requests)
      return all
    }
    while let request = requests.popFirst() { request.fulfillIfPending(nil) }
  }
}

/// Reads a sequence as an asynchronous one. It never suspends.
struct AsyncElements<Base: Sequence & SendableMetatype>: AsyncSequence {
  let base: Base

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: Base.Iterator

    mutating func next(isolation actor: isolated (any Actor)?) async -> Base.Element? { base.next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeIterator()) }
}
