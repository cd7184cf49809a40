import Foundation
public import PromiseContexts

extension Promise where Value == Int32 {
  /// Returns a promise that is fulfilled with the number of a signal when the process receives it, for example by
  /// Ctrl-C.
  ///
  /// ```swift
  /// let interrupt = Promise.signal(SIGINT)
  /// interrupt.onFulfilled { _ in work.cancel(upstream: true) }
  /// ```
  ///
  /// While a promise waits, the signal has no other effect. When the signal arrives, all promises that wait for it are
  /// fulfilled, and the former action of the process is restored, unless code still reads ``ProcessSignals``. So **a
  /// second Ctrl-C ends the program**, even if the work does not stop. A signal that arrives between the first one and
  /// that moment, usually a fraction of a millisecond, has no effect.
  ///
  /// A handler that asks for the next signal comes too late if that signal follows soon. Then the former action applies,
  /// which for most signals ends the program. To receive one signal after another, use ``ProcessSignals``.
  ///
  /// The former action is also restored when the last promise that waits for the signal is cancelled. Such a promise is
  /// cancelled when it is released and no observer or link waits for it.
  ///
  /// The signal handler is the library's own. While a promise waits, it replaces a handler that was set with `signal`
  /// or `sigaction`. Do not use a signal source of Dispatch for the same signal.
  ///
  /// A signal that all threads block does not arrive. `raise` sends a signal to the calling thread, and threads of
  /// Dispatch block signals. To send a signal to the own process, use `kill(getpid(), SIGUSR1)`.
  ///
  /// Rejects with ``UncatchableSignalError`` if the process cannot catch the signal, as `SIGKILL`, cannot continue
  /// after it, as `SIGSEGV`, or has no file descriptor left with which the library could notice it.
  ///
  /// - Parameters:
  ///   - number: the number of the signal, for example `SIGINT` or `SIGTERM`.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public static func signal(_ number: Int32, fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Int32> {
    let deferred = Deferred<Int32>(cancelsWithoutClients: true, fileID: fileID, line: line)
    let promise = deferred.promise
    do throws(SystemError) {
      let stopListening = try SignalListeners.add(.promise(deferred), for: number)
      deferred.onCancel { _ in stopListening() }
    } catch {
      deferred.reject(UncatchableSignalError(number: number, code: error.code), fileID: fileID, line: line)
    }
    return promise
  }
}

/// The error for a signal that a process cannot catch, never or not at the moment.
public struct UncatchableSignalError: Error, Sendable, Hashable {
  /// The number of the signal.
  public let number: Int32
  /// The system's `errno`. It is `EINVAL` for a signal that no process can catch, and for example `EMFILE` if too many
  /// files are open.
  public let code: Int32
}

extension UncatchableSignalError: CustomStringConvertible {
  /// One line that names the signal and the reason.
  public var description: String {
    code == EINVAL
      ? "a process cannot catch the signal \(number)" : "the signal \(number) cannot be caught: \(SystemError(code))"
  }
}
