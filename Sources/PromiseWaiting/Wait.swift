import Dispatch
import Foundation
import PromiseContexts
import PromiseCore

/// A wait that blocks the calling thread until a promise is settled.
struct Wait {
  private let promise: AnyPromise
  private let limit: Duration
  /// Empty when the promise is settled. A group, because on Linux the time limit of a semaphore follows the wall clock,
  /// which may be set back.
  private let settlement = DispatchGroup()
  private let deadline: DispatchTime
  private let isMainThread = Thread.isMainThread

  init(for promise: AnyPromise, within limit: Duration) {
    self.promise = promise
    self.limit = limit
    // A deadline of Dispatch cannot be near the end of its clock, so a very long limit means no limit.
    deadline =
      limit > .seconds(1 << 30)
      ? .distantFuture : DispatchTime(uptimeNanoseconds: limit.deadline(from: DispatchTime.now().uptimeNanoseconds))
  }

  /// - Throws: ``WaitError``, if the promise is still pending.
  func run() throws {
    try refuseToBlock()
    settlement.enter()
    let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { [settlement, isMainThread] _, _ in
      settlement.leave()
      // The empty block wakes the run loop of the main thread.
      if isMainThread { DispatchQueue.main.async {} }
      return .nothing
    }
    defer { if observer.detach() { settlement.leave() } }
    // The caller may be a hook, which waits for what code of the run loop does. So the hooks that this code causes must
    // not be left to the call that runs the caller.
    if isMainThread { try UnnestedWork.withoutOuterQueue { try runMainLoop() } } else { try block() }
    // The promise may have been settled since the last look.
    if promise.isPending { throw promise.timedOut(after: limit) }
  }

  /// Blocks until the promise is settled or the time is up. Checks regularly whether the wait has become a deadlock,
  /// because a handler may have returned a promise that needs the caller's context.
  private func block() throws {
    var search = DeadlockSearch(after: .milliseconds(100))
    while promise.isPending, DispatchTime.now() < deadline {
      guard settlement.wait(timeout: min(deadline, search.time)) == .timedOut else { return }
      try search.run { try refuseToBlock() }
    }
  }

  /// Throws if the promise needs a context that this wait blocks.
  ///
  /// On the main thread, ``runMainLoop()`` lets handlers run that need the main queue or the run loop. On another
  /// thread, the caller may also be on the main queue. This happens on Linux, where the pool of Dispatch serves that
  /// queue after an async `main` has suspended.
  private func refuseToBlock() throws {
    try promise.refuseToBlock(ifNeeding: { !(isMainThread && $0.runsInMainLoop) && $0.context.isCurrent == true })
  }

  // MARK: The main thread

  /// Runs the run loop while the main thread waits, so that handlers on the main queue, timers and sources run. The
  /// sources run handlers on a `ThreadContext`.
  ///
  /// If the caller is itself a block on the main queue, no other block of that queue runs meanwhile. A probe on the
  /// main queue detects this. If the probe has not run after some turns of the loop, and the promise needs the main
  /// queue, the wait is a deadlock.
  private func runMainLoop() throws {
    let probe = MainQueueProbe()
    DispatchQueue.main.async { probe.run() }
    var search = DeadlockSearch(after: .milliseconds(50))
    // A slow timer may delay the probe for one turn.
    var turns = 0
    while promise.isPending, DispatchTime.now() < deadline {
      if !RunLoop.main.run(mode: .default, before: min(endOfSlice, Date(timeIntervalSinceNow: remaining))) {
        // A loop without timers and sources returns at once, so the thread waits here instead.
        _ = settlement.wait(timeout: min(deadline, .now() + .milliseconds(1)))
      }
      turns += 1
      try search.run {
        try refuseToBlock()
        if !probe.hasRun, turns >= 5 { try promise.refuseToBlock(ifNeeding: \.isOnMain) }
      }
    }
  }

  private var endOfSlice: Date { Date(timeIntervalSinceNow: 0.01) }

  private var remaining: TimeInterval {
    let now = DispatchTime.now().uptimeNanoseconds
    return deadline.uptimeNanoseconds > now ? Double(deadline.uptimeNanoseconds - now) / 1e9 : 0
  }
}

/// Decides when a wait looks for a deadlock again. A look visits all pending promises above, so looks may take at most
/// a tenth of the time.
private struct DeadlockSearch {
  /// The time of the next look.
  private(set) var time: DispatchTime

  init(after interval: DispatchTimeInterval) { time = .now() + interval }

  /// Looks, if it is time.
  mutating func run(_ look: () throws -> Void) rethrows {
    let begin = DispatchTime.now()
    if begin < time { return }
    try look()
    let end = DispatchTime.now()
    let duration = end.uptimeNanoseconds - begin.uptimeNanoseconds
    time = end + max(0.1, 10 * Double(duration) / 1e9)
  }
}

/// A probe that shows whether the main queue runs new blocks.
private final class MainQueueProbe: @unchecked Sendable {
  // `@unchecked Sendable`, because the variable is accessed only on the main thread.
  private(set) var hasRun = false
  func run() { hasRun = true }
}
