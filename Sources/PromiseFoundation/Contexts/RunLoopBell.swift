import Foundation
import PromiseCore

#if canImport(Darwin)
  import CoreFoundation
#endif

/// Wakes the run loop of the thread that made it, from any other thread, and keeps the loop from ending for want of anything to
/// wait for, until it is closed.
///
/// `@unchecked Sendable`: `RunLoop` and `Timer` are for one thread only, and made and closed there; what else is called has the
/// lock of the `CFRunLoop`. `isStriking` is touched under the lock.
final class RunLoopBell: @unchecked Sendable {
  #if canImport(Darwin)
    private let loop: CFRunLoop = CFRunLoopGetCurrent()
    private let strike: @Sendable () -> Void
    private let stay = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }

    /// - Parameter strike: runs for each ring, in a later turn of the loop, in its common modes.
    init(_ strike: @escaping @Sendable () -> Void) {
      self.strike = strike
      RunLoop.current.add(stay, forMode: .common)
    }

    func ring() {
      CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue, strike)
      CFRunLoopWakeUp(loop)
    }

    /// On the thread itself.
    func close() { stay.invalidate() }
  #else
    // `RunLoop.perform` does not wake a loop that sleeps, and what would is not public: a timer that is due does. Each that has been due is
    // leaked (Swift 6.3.1), so these are rung again and again. One is not rung while it strikes, for a loop inside does not come to
    // it; so there are two.
    private var clappers: [Timer] = []
    /// Kept for who rings as the thread ends: a timer does not keep its loop, but retains it when its date is set, and a loop that is
    /// just going must not be retained.
    private let loop = RunLoop.current
    private let strike: @Sendable () -> Void
    private let lock = ShortLock()
    private var isStriking = [false, false]

    /// - Parameter strike: runs for each ring, in a later turn of the loop, in its common modes.
    init(_ strike: @escaping @Sendable () -> Void) {
      self.strike = strike
      clappers = isStriking.indices.map { index in
        // Weak, for the timer stays when this goes.
        Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { [weak self] _ in
          self?.strike(by: index)
        }
      }
      for clapper in clappers { loop.add(clapper, forMode: .common) }
    }

    private func strike(by index: Int) {
      lock.locked { isStriking[index] = true }
      strike()
      lock.locked { isStriking[index] = false }
    }

    func ring() {
      // If both strike, there is a loop inside a loop: what is rung is heard when the inner one has ended.
      let free = lock.locked { isStriking.firstIndex(of: false) ?? 0 }
      clappers[free].fireDate = .distantPast
    }

    /// On the thread itself.
    func close() { for clapper in clappers { clapper.invalidate() } }
  #endif
}
