import Foundation
import PromiseCore

#if canImport(Darwin)
  import CoreFoundation
#endif

/// Wakes the run loop of one thread, from any thread, and runs a handler there.
///
/// The thread makes its waker itself. Until ``invalidate()``, the waker also gives the loop something to wait for, so
/// that `RunLoop.run()` does not return.
///
/// `@unchecked Sendable`, because the thread of the loop makes and invalidates the timers. The functions that
/// ``wake()`` calls may be called on any thread, because `CFRunLoop` has a lock. The lists are changed by the thread of
/// the loop, under the lock, and read by other threads under the lock.
final class RunLoopWaker: @unchecked Sendable {
  #if canImport(Darwin)
    private let loop: CFRunLoop = CFRunLoopGetCurrent()
    private let handler: @Sendable () -> Void
    private let keepAliveTimer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }

    /// Creates a waker for the run loop of the calling thread.
    ///
    /// - Parameter handler: runs after each ``wake()``, in a later turn of the loop, in its common modes.
    init(_ handler: @escaping @Sendable () -> Void) {
      self.handler = handler
      RunLoop.current.add(keepAliveTimer, forMode: .common)
    }

    /// Wakes the loop, which then runs the handler.
    func wake() {
      CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue, handler)
      CFRunLoopWakeUp(loop)
    }

    /// Lets the loop end. Call it only on the thread of the loop.
    func invalidate() { keepAliveTimer.invalidate() }
  #else
    // On Linux `RunLoop.perform` does not wake a loop that sleeps, and the function that would is not public. A timer
    // that is due wakes the loop. A timer whose handler runs cannot wake a loop inside that handler, so there is always a
    // timer more than handlers that run inside each other. Foundation (Swift 6.3.1) leaks every timer that has been due,
    // so the same timers are used again and again.
    private var timers: [Timer] = []
    /// Retains the loop for callers of ``wake()`` while the thread ends. A timer does not retain its loop permanently.
    /// Setting its date retains the loop for a moment, which is illegal while the loop is being deallocated.
    private let loop = RunLoop.current
    private let handler: @Sendable () -> Void
    private let lock = ShortLock()
    /// For each timer, whether its handler runs.
    private var isFiring: [Bool] = []

    /// Creates a waker for the run loop of the calling thread.
    ///
    /// - Parameter handler: runs after each ``wake()``, in a later turn of the loop, in its common modes.
    init(_ handler: @escaping @Sendable () -> Void) {
      self.handler = handler
      addTimer()
    }

    private func addTimer() {
      let index = timers.count
      // Weak, because a leaked timer retains its closure for the life of the process.
      let timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { [weak self] _ in
        self?.runHandler(ofTimer: index)
      }
      loop.add(timer, forMode: .common)
      lock.locked {
        timers.append(timer)
        isFiring.append(false)
      }
    }

    private func runHandler(ofTimer index: Int) {
      if isFiring.count(where: { !$0 }) == 1 { addTimer() }
      lock.locked { isFiring[index] = true }
      handler()
      lock.locked { isFiring[index] = false }
    }

    /// Wakes the loop, which then runs the handler.
    func wake() {
      let free = lock.locked { isFiring.firstIndex(of: false).map { timers[$0] } }
      assert(free != nil, "one timer is always free")
      free?.fireDate = .distantPast
    }

    /// Lets the loop end. Call it only on the thread of the loop.
    func invalidate() { for timer in timers { timer.invalidate() } }
  #endif
}
