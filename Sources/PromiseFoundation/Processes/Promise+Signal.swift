import Foundation
public import PromiseContexts

extension Promise where Value == Int32 {
  /// Returns a promise that is fulfilled with the number of a signal when the process gets it: Ctrl-C as a promise.
  ///
  /// ```swift
  /// let interrupt = Promise.signal(SIGINT)
  /// interrupt.onFulfilled { _ in work.cancel(upstream: true) }
  /// ```
  ///
  /// While a promise waits, the signal does nothing else. When it has come, all promises that wait for it are
  /// fulfilled, and the process does again what it did before: **a second Ctrl-C ends the program**, also if the work
  /// does not stop. Code that wants the next signal, too, asks for a new promise. The former action is also restored
  /// when the last promise that waits for a signal is cancelled, or is released while no observer or link waits for it;
  /// the promise is cancelled then. The signal handler is the library's own, and replaces one that was set with
  /// `signal` or `sigaction` for that time. Do not combine it with a signal source of Dispatch for the same signal.
  ///
  /// A signal that all threads block does not arrive. `raise` sends a signal to the calling thread, and threads of
  /// Dispatch block signals: use `kill(getpid(), SIGUSR1)`.
  ///
  /// Rejects with ``UncatchableSignalError`` if the process cannot catch the signal, or cannot go on after it, as with
  /// `SIGKILL` and `SIGSEGV`.
  ///
  /// - Parameters:
  ///   - number: for example `SIGINT` or `SIGTERM`.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  public static func signal(_ number: Int32, fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Int32> {
    let deferred = Deferred<Int32>(cancelWhenUnobserved: true, fileID: fileID, line: line)
    let promise = deferred.promise
    // A program that goes on after one of these repeats the instruction that has caused it.
    let isFatal = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS].contains(number)
    if isFatal || !(1...255).contains(number) || !SignalListeners.shared.add(deferred, for: number) {
      deferred.reject(UncatchableSignalError(number: number), fileID: fileID, line: line)
    }
    return promise
  }
}

/// A process cannot catch this signal.
public struct UncatchableSignalError: Error, Sendable, Hashable {
  /// The number of the signal.
  public let number: Int32
}

extension UncatchableSignalError: CustomStringConvertible {
  /// Names the signal.
  public var description: String { "a process cannot catch the signal \(number)" }
}
