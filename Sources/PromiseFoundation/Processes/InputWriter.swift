#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #endif

  /// Writes to the standard input of a program, as fast as that reads. Used on one queue.
  final class InputWriter {
    private var rest: Data
    private let source: any DispatchSourceWrite
    /// Until all is written. When this is `nil` and the source is cancelled, the program finds the end of its input.
    private var descriptor: Descriptor?

    init(_ data: Data, to descriptor: Descriptor, on queue: DispatchQueue) {
      rest = data
      self.descriptor = descriptor
      descriptor.makeNonblocking()
      #if canImport(Darwin)
        _ = fcntl(descriptor.number, F_SETNOSIGPIPE, 1)
      #endif
      source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
    }

    func start() {
      source.setEventHandler { [self] in write() }
      // The file may be closed only when Dispatch has let it go.
      source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
      source.activate()
    }

    func stop() {
      rest = Data()
      descriptor = nil
      source.cancel()
    }

    private func write() {
      guard let descriptor, !rest.isEmpty else { return stop() }
      // Safe: the bytes are read in the call.
      let count = unsafe rest.prefix(64 << 10).withUnsafeBytes { bytes in
        withoutPipeSignal { unsafe Foundation.write(descriptor.number, bytes.baseAddress, bytes.count) }
      }
      if count > 0 { rest = rest.dropFirst(count) }
      // `EPIPE`: the program has ended, or wants no more, as `head` does.
      if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { stop() }
    }
  }

  /// Runs a call of `write` so that a pipe without readers does not end the process with `SIGPIPE`.
  ///
  /// Linux cannot turn that off for one pipe. The signal comes to the calling thread: it is blocked, and taken away if the call has caused it.
  private func withoutPipeSignal(_ body: () -> Int) -> Int {
    #if canImport(Darwin)
      return body()
    #else
      // Safe: each call writes into what it is given.
      var (signal, former, pending) = (sigset_t(), sigset_t(), sigset_t())
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
