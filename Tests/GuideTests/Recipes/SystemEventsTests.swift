import Foundation
import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/SystemEvents.md that run on Linux, word for word. `Scripts/check-snippets.py`
// compares them.

extension Notification.Name {
  fileprivate static let batteryChanged = Notification.Name("batteryChanged")
}

private struct Notifications {
  func next<Value: Sendable>(
    _ name: Notification.Name, from center: NotificationCenter,
    read: @escaping @Sendable (Notification) -> Value?
  ) -> Promise<Value> {
    Promise { deferred in
      // Safe, because an observer may be removed on any thread.
      nonisolated(unsafe) let observer = center.addObserver(forName: name, object: nil, queue: nil) { notification in
        if let value = read(notification) { deferred.fulfill(value) }
      }
      deferred.onEnd { _ in unsafe center.removeObserver(observer) }
    }
  }

  func level(_ center: NotificationCenter) -> Promise<Int> {
    let level = next(.batteryChanged, from: center) { $0.userInfo?["level"] as? Int }
    return level
  }
}

@MainActor
private struct Timers {
  @MainActor
  func firing(of makeTimer: (@escaping @Sendable (Timer) -> Void) -> Timer) -> Promise<Void> {
    let deferred = Deferred<Void>()
    let timer = makeTimer { _ in deferred.fulfill() }
    deferred.onEnd(on: .main) { [weak timer] _ in timer?.invalidate() }
    return deferred.promise
  }

  func blink() -> Promise<Void> {
    let blinked = firing { Timer.scheduledTimer(withTimeInterval: 0.5, repeats: false, block: $0) }
    return blinked
  }
}

@Suite("The recipe for notifications", .leavingNothing) struct NotificationTests {
  private let center = NotificationCenter()

  private func post(_ level: Int?) {
    center.post(name: .batteryChanged, object: nil, userInfo: level.map { ["level": $0] })
  }

  @Test("The next notification that matters fulfils the promise")
  func next() throws {
    try TestWorld.run(checking: .running) { world in
      let level = Notifications().level(center)
      post(nil)
      #expect(level.isPending)
      post(7)
      world.runUntilIdle()
      post(8)
      #expect(level.state.value == 7)
    }
  }

  @Test("The observer is removed when the promise is settled", .rule("4.5"), arguments: [false, true])
  func removed(_ isCancelled: Bool) throws {
    let census = Tracked.Census()
    try TestWorld.run(checking: .running) { world in
      let level = Notifications().next(.batteryChanged, from: center) { [tracked = Tracked(census)] notification in
        withExtendedLifetime(tracked) { notification.userInfo?["level"] as? Int }
      }
      #expect(census.living == 1)
      if isCancelled { level.cancel() } else { post(7) }
      world.runUntilIdle()
      #expect(!level.isPending)
      #expect(census.living == 0)
    }
  }
}

@MainActor
@Suite("The recipe for a Timer") struct TimerTests {
  /// Returns a promise for the timer, and the timer, which no run loop has.
  private func start() -> (Promise<Void>, Timer?) {
    var timer: Timer?
    let promise = Timers().firing { block in
      let made = Timer(timeInterval: 1_000, repeats: false, block: block)
      timer = made
      return made
    }
    return (promise, timer)
  }

  @Test(
    "A timer fulfils the promise, and a client that cancels invalidates it", .rule("4.5"), arguments: [true, false])
  func timer(fires: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let (promise, timer) = start()
      if fires { timer?.fire() } else { promise.cancel() }
      world.runUntilIdle()
      #expect(promise.isFulfilled == fires)
      #expect(timer?.isValid == false)
    }
  }
}
