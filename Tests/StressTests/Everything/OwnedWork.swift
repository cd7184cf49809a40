import PromiseCore
import PromiseTesting
import TestSupport

/// Work of the program with an owner, which reports progress, ends at a certain time, and can be stopped.
final class OwnedWork: Sendable {
  private enum End { case fulfils, rejects, cancels, breaks }
  private enum Hook { case none, onPool, onContext, waiting, waitingAtEnd }

  private struct State {
    var owner: Deferred<Int>?
    /// The end of the work that stops this work.
    var stopping: Deferred<Int>?
    var stopsAt = Int.max
    var told = 0
    /// How often the hook for the end has run.
    var ended = 0
    var hasEnded = false
    var hasSettled = false
    var fulfilledAt: Int?
    /// Whether a Task gets the value. It may be given up before it hands the value on.
    var awaitsTask = false
  }

  let name: String
  let promise: Promise<Int>
  private let detail: Int
  private let due: Int
  let isCleanup: Bool
  private let log: RunLog
  private let state: Locked<State>

  private var end: End {
    if isCleanup { return .fulfils }
    return switch detail % 10 {
    case 0..<6: .fulfils
    case 6..<8: .rejects
    case 8: .cancels
    default: .breaks
    }
  }

  private var hook: Hook {
    switch detail / 10 % 6 {
    case 0: .none
    case 1: .onContext
    case 2, 3: .onPool
    case 4: .waiting
    default: .waitingAtEnd
    }
  }

  /// Whether a hook runs at the end, whatever it is.
  private var hasEndHook: Bool { detail / 60 % 2 == 0 }

  init(_ name: String, detail: Int, now: Int, isCleanup: Bool, hooksOn context: TestContext, log: RunLog) {
    let owner = Deferred<Int>()
    (self.name, self.detail, self.isCleanup, self.log) = (name, detail, isCleanup, log)
    due = now + detail / 7 % 12
    promise = owner.promise
    state = Locked(State(owner: owner))
    log.note("\(name) begins")
    switch hook {
    case .none: break
    case .onPool: owner.onCancel { self.stop($0, waits: false) }
    case .onContext: owner.onCancel(on: context) { self.stop($0, waits: false) }
    case .waiting: owner.onCancelThen { self.beginToStop($0) }
    case .waitingAtEnd:
      owner.onEndThen { result in
        guard self.wasCancelled, case .failure(let reason) = result else { return .fulfilled(0) }
        return self.beginToStop(reason)
      }
    }
    if hasEndHook {
      if hook == .onContext { owner.onEnd(on: context) { self.noteEnd($0) } } else { owner.onEnd { self.noteEnd($0) } }
    }
    if due == now { act(at: now) }
  }

  /// Whether someone else than the owner has cancelled the promise.
  var wasCancelled: Bool { promise.isCancelled && !state.withLock(\.hasSettled) }

  /// Returns a promise for the end of the work that stops this work.
  private func beginToStop(_ reason: any Error) -> Promise<Int> {
    let stopping = Deferred<Int>()
    state.withLock { $0.stopping = stopping }
    stop(reason, waits: true)
    return stopping.promise
  }

  private func noteEnd(_ result: Result<Int, any Error>) {
    log.note("\(name) has ended")
    let (told, ended) = state.withLock { state in
      state.ended += 1
      return (state.told, state.ended)
    }
    log.require(ended == 1, "4.5", "the end of \(name) is told \(ended) times")
    log.require(!promise.isPending, "4.5", "the end of \(name) is told before it")
    guard wasCancelled, hook != .none else { return }
    log.require(told == 1, "4.5", "the end of \(name) is told before its cancellation")
  }

  private func stop(_ reason: any Error, waits: Bool) {
    log.note("\(name) is told of \(describe(reason))")
    let (told, hasSettled) = state.withLock { state in
      state.told += 1
      if !waits { state.hasEnded = true }
      return (state.told, state.hasSettled)
    }
    log.require(told == 1, "4.5", "\(name) was told \(told) times")
    log.require(!hasSettled, "4.5", "\(name) was told, although its owner had settled it")
    log.require(!isCleanup, "2.10", "the cleanup \(name) was cancelled")
    log.require(promise.isCancelled, "4.5", "\(name) was told, and is not cancelled")
  }

  /// Whether the work still does something.
  var isRunning: Bool {
    state.withLock { state in state.hasEnded ? false : hook != .none || promise.isPending }
  }

  /// When the owner fulfilled the promise, if it did, and no Task waits for the value.
  var fulfilledAt: Int? { state.withLock { $0.awaitsTask ? nil : $0.fulfilledAt } }

  /// Whether a Task waits for the value. A Task that is given up may learn of that after the next load has begun.
  var awaitsTask: Bool { state.withLock(\.awaitsTask) }

  /// Waits for the value in a Task.
  func valueInTask() async throws -> Int {
    state.withLock { $0.awaitsTask = true }
    return try await promise.value(cancelsSource: true)
  }

  /// Whether the owner has nothing left to do.
  var isDone: Bool { state.withLock { $0.owner == nil && $0.stopping == nil } }

  /// The end of the work that stops this work, if it is due. It takes some time from the first call on.
  private func dueStop(at now: Int) -> Deferred<Int>? {
    state.withLock { state in
      guard let stopping = state.stopping else { return nil }
      if state.stopsAt == .max { state.stopsAt = now + detail % 25 }
      return now >= state.stopsAt ? stopping : nil
    }
  }

  /// Does what the owner does at this time.
  func act(at now: Int) {
    if let stopping = dueStop(at: now) {
      state.withLock { state in
        state.hasEnded = true
        state.stopping = nil
      }
      log.require(stopping.fulfill(0), "1.3", "the end of \(name) could not be told")
    }
    guard let owner = state.withLock(\.owner) else { return }
    if now < due {
      let progress = 1 - Double(due - now) / 20
      if detail % 2 == 0 { _ = owner.report(progress: progress) }
      return
    }
    let wasPending = promise.isPending
    state.withLock { state in
      state.owner = nil
      guard wasPending else { return }
      state.hasEnded = true
      state.hasSettled = true
      if end == .fulfils { state.fulfilledAt = now }
    }
    let won: Bool
    switch end {
    case .fulfils: won = owner.fulfill(detail)
    case .rejects: won = owner.reject(TestError(detail))
    case .cancels: won = owner.reject(CancellationError())
    case .breaks: return
    }
    log.require(won == wasPending, "1.3", "\(name): pending \(wasPending), and its owner was told \(won)")
  }

  /// Checks what must hold after each step.
  func examine() {
    log.require(!(promise.isFinished && isRunning), "2.11", "\(name) has finished, and still runs")
  }

  /// Checks what must hold at the end.
  func examineEnd() {
    log.require(!promise.isPending, "6.2", "\(name) is pending")
    log.require(promise.isFinished, "2.11", "\(name) has not finished")
    log.require(!isRunning, "2.11", "\(name) still runs")
    let (told, ended, hasSettled) = state.withLock { ($0.told, $0.ended, $0.hasSettled) }
    if hasEndHook { log.require(ended == 1, "4.5", "the end of \(name) was told \(ended) times") }
    if !hasSettled, hook != .none { log.require(told == 1, "4.5", "\(name) was told \(told) times") }
  }
}

/// Describes an error in the same way in each run.
func describe(_ error: any Error) -> String {
  (error as? TestError).map { "error \($0.number)" } ?? error.caseName ?? "\(type(of: error))"
}
