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
  /// fulfilled, and the former action of the process is restored, unless code still reads ``signals(_:)``. So **a second
  /// Ctrl-C ends the program**, even if the work does not stop. A signal that arrives between the first one and that
  /// moment, usually a fraction of a millisecond, has no effect.
  ///
  /// A handler that asks for the next signal comes too late if that signal follows soon. Then the former action applies,
  /// which for most signals ends the program. To receive one signal after another, use ``signals(_:)``.
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
    let deferred = Deferred<Int32>(cancelsWhenUnobserved: true, fileID: fileID, line: line)
    let promise = deferred.promise
    do throws(SystemError) {
      let stopListening = try SignalListeners.add(.promise(deferred), for: number)
      deferred.onCancel { _ in stopListening() }
    } catch {
      deferred.reject(UncatchableSignalError(number: number, code: error.code), fileID: fileID, line: line)
    }
    return promise
  }

  /// Returns the arrivals of a signal as an asynchronous sequence, for example to read settings again at each `SIGHUP`.
  ///
  /// ```swift
  /// let hangups = try Promise.signals(SIGHUP)
  /// for await _ in hangups { await settings.reload() }
  /// ```
  ///
  /// From this call on, the signal has no other effect, also between two signals. The former action of the process is
  /// restored when the last reader leaves. A reader leaves when its loop ends or its iterator is released. If its Task
  /// is cancelled, it leaves at once when it waits for a signal, and otherwise at its next call. Until the sequence has
  /// an iterator, the sequence itself is the reader, and its first iterator receives a signal that has arrived
  /// meanwhile. So call this function before you start the Task that reads.
  ///
  /// Each iterator receives each signal, and so do promises of ``signal(_:fileID:line:)``. **Signals that arrive while
  /// the reader is busy count as one**, which it receives when it asks for the next. The system also merges signals that
  /// wait for the process.
  ///
  /// While code reads `SIGINT`, Ctrl-C does not end the program. To let a second Ctrl-C end it, leave the loop:
  ///
  /// ```swift
  /// for await _ in try Promise.signals(SIGINT) {
  ///   work.cancel(upstream: true)
  ///   break
  /// }
  /// ```
  ///
  /// A reader needs a free thread of Swift concurrency to receive a signal and to leave. Where blocked calls may occupy
  /// all of them, use ``signal(_:fileID:line:)``, which restores the former action in any case. It also describes
  /// handlers of other code, and signals that do not arrive.
  ///
  /// - Parameter number: the number of the signal, for example `SIGHUP` or `SIGUSR1`.
  /// - Throws: ``UncatchableSignalError``, in the cases in which a promise for the signal is rejected with it.
  public static func signals(_ number: Int32) throws(UncatchableSignalError) -> ProcessSignals {
    do { return try ProcessSignals(number) } catch {
      throw UncatchableSignalError(number: number, code: error.code)
    }
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
