import Dispatch
import Foundation
import PromiseContexts
import PromiseCore

/// One thread that blocks until a promise is settled.
struct Wait {
  private let promise: AnyPromise
  private let limit: Duration
  private let isSettled = DispatchSemaphore(value: 0)
  private let deadline: DispatchTime
  private let isMainThread = Thread.isMainThread

  init(for promise: AnyPromise, within limit: Duration) {
    self.promise = promise
    self.limit = limit
    // Dispatch does not count to the end of its clock.
    deadline =
      limit > .seconds(1 << 30)
      ? .distantFuture : DispatchTime(uptimeNanoseconds: limit.deadline(from: DispatchTime.now().uptimeNanoseconds))
  }

  /// - Throws: ``WaitError``, if the promise is still pending.
  func run() throws {
    try refuseToBlock()
    let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { [isSettled, isMainThread] _, _ in
      isSettled.signal()
      // Wakes the run loop.
      if isMainThread { DispatchQueue.main.async {} }
      return .nothing
    }
    defer { observer.detach() }
    if isMainThread { try runMainLoop() } else { try block() }
    // It may be settled just now.
    if promise.isPending { throw promise.timedOut(after: limit) }
  }

  /// From time to time it looks again: a handler may have returned a promise that needs this very context.
  private func block() throws {
    while promise.isPending, DispatchTime.now() < deadline {
      guard isSettled.wait(timeout: min(deadline, .now() + .milliseconds(100))) == .timedOut else { return }
      try refuseToBlock()
    }
  }

  /// On the main thread the main queue is left to ``runMainLoop()``. On another thread the caller may be on the main
  /// queue, too: on Linux, once an async `main` has suspended, the pool of Dispatch serves that queue.
  private func refuseToBlock() throws {
    try promise.refuseToBlock(ifNeeding: { !(isMainThread && $0.isOnMain) && $0.context.isCurrent == true })
  }

  // MARK: The main thread

  /// Lets the run loop do what the main thread would do while it waits: handlers on the main queue, timers, sources.
  ///
  /// From a block that is itself on the main queue, others on it do not run, whatever the loop does. What is put there
  /// as a probe shows that: if it has not run after some turns of the loop, and the promise needs the main queue, it is
  /// no use waiting.
  private func runMainLoop() throws {
    let probe = MainQueueProbe()
    DispatchQueue.main.async { probe.run() }
    let probeDeadline = DispatchTime.now() + .milliseconds(50)
    while promise.isPending, DispatchTime.now() < deadline {
      if !RunLoop.main.run(mode: .default, before: min(endOfSlice, Date(timeIntervalSinceNow: remaining))) {
        // A loop that has nothing to do returns at once.
        _ = isSettled.wait(timeout: min(deadline, .now() + .milliseconds(1)))
      }
      try refuseToBlock()
      if !probe.hasRun, DispatchTime.now() > probeDeadline { try promise.refuseToBlock(ifNeeding: \.isOnMain) }
    }
  }

  private var endOfSlice: Date { Date(timeIntervalSinceNow: 0.01) }

  private var remaining: TimeInterval {
    let now = DispatchTime.now().uptimeNanoseconds
    return deadline.uptimeNanoseconds > now ? Double(deadline.uptimeNanoseconds - now) / 1e9 : 0
  }
}

/// Whether what is put on the main queue is run.
private final class MainQueueProbe: @unchecked Sendable {
  // `@unchecked`: touched on the main thread only.
  private(set) var hasRun = false
  func run() { hasRun = true }
}
