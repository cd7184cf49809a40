import Foundation
import PromiseContexts
import Synchronization

/// Timers whose time is advanced by the program. It jumps forwards, and what it shows jumps backwards, too.
final class SteppedTimers: TimerContext {
  fileprivate struct State {
    /// The time that decides which timers are due. It never goes back.
    var now = Duration.zero
    /// What is added to the time that is shown.
    var offset = Duration.zero
    var next = 0
    var actions: [Int: (due: Duration, action: @Sendable () -> Void)] = [:]
  }

  fileprivate let state = Mutex(State())

  var elapsed: Duration { state.withLock { $0.now + $0.offset } }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    state.withLock { state in
      state.next += 1
      state.actions[state.next] = (state.now + max(delay, .zero), action)
      return SteppedTimer(timers: self, number: state.next)
    }
  }

  /// Advances the time, and runs the actions that are due, in order.
  func advance(by duration: Duration, showing change: Duration = .zero) {
    let due = state.withLock { state in
      state.now += duration
      state.offset += change
      let due = state.actions.filter { $0.value.due <= state.now }
      for number in due.keys { state.actions[number] = nil }
      return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    }
    for (_, timer) in due { timer.action() }
  }

  /// Lets the time go on as real time does. Every second it jumps by up to two minutes, or what is shown jumps back.
  func hold(during run: LoadRun, seconds: Double) -> [String] {
    var round = 0
    run.wait(seconds: seconds, interval: 0.005) {
      round += 1
      advance(by: .milliseconds(5))
      guard round % 200 == 0 else { return }
      if round % 400 == 0 {
        advance(by: .zero, showing: .seconds(-.random(in: 1...120)))
      } else {
        advance(by: .seconds(.random(in: 1...120)))
      }
    }
    return []
  }
}

private final class SteppedTimer: ScheduledTimer {
  private let timers: SteppedTimers
  private let number: Int

  init(timers: SteppedTimers, number: Int) {
    self.timers = timers
    self.number = number
  }

  func cancel() -> Bool {
    // Released outside the lock, because the action may own a promise.
    let entry = timers.state.withLock { $0.actions.removeValue(forKey: number) }
    return entry != nil
  }
}
