import Foundation

#if canImport(Darwin)
  import CoreFoundation
#endif

/// Wakes the run loop of the thread that made it, from any other.
///
/// `@unchecked Sendable`: `RunLoop` is for one thread only, but what is called here is not: a `CFRunLoop` has a lock of its own.
struct RunLoopBell: @unchecked Sendable {
  #if canImport(Darwin)
    private let loop: CFRunLoop = CFRunLoopGetCurrent()

    /// Runs the body in a later turn of the loop, in its common modes.
    func ring(_ body: @escaping @Sendable () -> Void) {
      CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue, body)
      CFRunLoopWakeUp(loop)
    }
  #else
    private let loop = RunLoop.current

    /// Runs the body in a later turn of the loop, in its common modes.
    ///
    /// By a timer that is due at once: `RunLoop.perform` does not wake a loop that sleeps, and what would is not public.
    func ring(_ body: @escaping @Sendable () -> Void) {
      loop.add(Timer(timeInterval: 0, repeats: false) { _ in body() }, forMode: .common)
    }
  #endif
}
