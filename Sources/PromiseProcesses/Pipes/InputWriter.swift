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
    private let channel: InputChannel
    /// The pipe, until everything is written. When neither the writer nor the monitor retains it, it is closed, and the
    /// program finds the end of its input.
    private var descriptor: Descriptor?
    private var wait: DescriptorMonitor.WaitID?

    init(_ channel: InputChannel, to descriptor: Descriptor, on queue: DispatchQueue, with monitor: DescriptorMonitor) {
      self.queue = queue
      self.monitor = monitor
      self.channel = channel
      self.descriptor = descriptor
      descriptor.makeNonblocking()
      #if canImport(Darwin)
        _ = fcntl(descriptor.number, F_SETNOSIGPIPE, 1)
      #endif
    }

    func start() {
      channel.open { [self] in queue.async { [self] in write() } }
    }

    func stop() {
      descriptor = nil
      if let wait = wait.take() { monitor.cancel(wait) }
      channel.end()
    }

    /// Writes as many bytes as the pipe accepts now, and the rest when the program has read some of them.
    private func write() {
      guard wait == nil, let descriptor else { return }
      // After this number of bytes, other work of the queue has its turn.
      var allowed = 64 << 10
      while allowed > 0 {
        switch channel.next(atMost: allowed) {
        case .none: return
        case .end: return stop()
        case .bytes(let bytes):
          let count = write(bytes, to: descriptor)
          let error = errno
          channel.advance(by: max(count, 0))
          // An error is usually `EPIPE`. The program has ended, or has closed its input, as `head` does.
          if count < 0, error != EAGAIN, error != EINTR { return stop() }
          allowed = count < bytes.count ? 0 : allowed - max(count, 1)
        }
      }
      wait = monitor.wait(for: POLLOUT, of: descriptor, on: queue) { [self] in
        wait = nil
        write()
      }
    }

    private func write(_ bytes: Data, to descriptor: Descriptor) -> Int {
      // Without bytes, the system would not say whether the pipe has a reader.
      guard !bytes.isEmpty else { return 0 }
      // Safe, because the pointer is used only during the call.
      return unsafe bytes.withUnsafeBytes { bytes in
        withoutPipeSignal { unsafe Foundation.write(descriptor.number, bytes.baseAddress, bytes.count) }
      }
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
