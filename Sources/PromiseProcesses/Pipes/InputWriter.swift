#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #endif

  /// Writes to the standard input of a program as fast as the program reads. All methods run on one queue.
  final class InputWriter: @unchecked Sendable {
    // `@unchecked Sendable`, because the variables are accessed only on that queue.
    private let queue: DispatchQueue
    private let monitor: DescriptorMonitor
    private var rest: Data
    /// The pipe, until everything is written. When neither the writer nor the monitor retains it, it is closed, and the
    /// program finds the end of its input.
    private var descriptor: Descriptor?
    private var wait: DescriptorMonitor.WaitID?

    init(_ data: Data, to descriptor: Descriptor, on queue: DispatchQueue, with monitor: DescriptorMonitor) {
      self.queue = queue
      self.monitor = monitor
      rest = data
      self.descriptor = descriptor
      descriptor.makeNonblocking()
      #if canImport(Darwin)
        _ = fcntl(descriptor.number, F_SETNOSIGPIPE, 1)
      #endif
    }

    func stop() {
      rest = Data()
      descriptor = nil
      if let wait = wait.take() { monitor.cancel(wait) }
    }

    /// Writes as many bytes as the pipe accepts now, and the rest when the program has read some of them.
    func write() {
      wait = nil
      guard let descriptor, !rest.isEmpty else { return stop() }
      // Safe, because the pointer is used only during the call.
      let count = unsafe rest.prefix(64 << 10).withUnsafeBytes { bytes in
        withoutPipeSignal { unsafe Foundation.write(descriptor.number, bytes.baseAddress, bytes.count) }
      }
      if count > 0 { rest = rest.dropFirst(count) }
      // An error is usually `EPIPE`. The program has ended, or has closed its input, as `head` does.
      if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { return stop() }
      wait = monitor.wait(for: POLLOUT, of: descriptor, on: queue) { [self] in write() }
    }
  }

  /// Runs a call of `write` so that a pipe without readers does not end the process with `SIGPIPE`.
  ///
  /// Linux cannot turn the signal off for one pipe. The system sends the signal to the calling thread. So the thread
  /// blocks the signal during the call, and removes it if the call has caused it.
  private func withoutPipeSignal(_ body: () -> Int) -> Int {
    #if canImport(Darwin)
      return body()
    #else
      // Safe, because each call writes only to its variable.
      var signal = sigset_t()
      var former = sigset_t()
      var pending = sigset_t()
      unsafe sigemptyset(&signal)
      unsafe sigaddset(&signal, SIGPIPE)
      unsafe sigpending(&pending)
      let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
      unsafe pthread_sigmask(SIG_BLOCK, &signal, &former)
      let count = body()
      let error = errno
      if count < 0, error == EPIPE, !wasPending {
        var now = timespec()
        while unsafe sigtimedwait(&signal, nil, &now) < 0, errno == EINTR {}
      }
      unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
      errno = error
      return count
    #endif
  }
#endif
