#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  /// Gathers what a program writes to a pipe. Used on one queue.
  final class OutputReader: @unchecked Sendable {
    // `@unchecked`: all is used on that queue only.
    private(set) var data = Data()
    /// Whether no process can write to the pipe any more, or reading was stopped.
    private(set) var isAtEnd = false
    private(set) var isTooLarge = false
    /// Whether what comes is forgotten: a program that is being stopped must not wait because the pipe is full.
    private var isDiscarding = false
    private let limit: Int
    private let descriptor: Descriptor
    private let queue: DispatchQueue
    private let monitor: DescriptorMonitor
    private var wait: DescriptorMonitor.WaitID?
    private var changed: () -> Void = {}

    /// - Parameters:
    ///   - limit: how many bytes are kept.
    ///   - queue: where all of this runs.
    init(_ descriptor: Descriptor, atMost limit: Int, on queue: DispatchQueue, with monitor: DescriptorMonitor) {
      self.descriptor = descriptor
      self.limit = limit
      self.queue = queue
      self.monitor = monitor
      descriptor.makeNonblocking()
    }

    /// - Parameter changed: runs when the end or the limit was reached.
    func start(_ changed: @escaping () -> Void) {
      self.changed = changed
      waitForOutput()
    }

    private func waitForOutput() {
      wait = monitor.wait(for: POLLIN, of: descriptor, on: queue) { [self] in readAll() }
    }

    func discard() {
      isDiscarding = true
      data = Data()
    }

    /// Reads what is in the pipe now, up to a mebibyte, which is as much as a pipe can hold.
    func drain() {
      for _ in 0..<16 where !read() { return }
    }

    /// Reads, and waits for more until the pipe is at its end. What is left in a pipe whose other end is closed is
    /// more.
    private func readAll() {
      wait = nil
      guard !isAtEnd else { return }
      // `stop` releases it.
      let changed = changed
      drain()
      if isAtEnd || isTooLarge { changed() }
      if !isAtEnd { waitForOutput() }
    }

    func stop() {
      isAtEnd = true
      changed = {}
      if let wait = wait.take() { monitor.cancel(wait) }
    }

    /// Returns whether there was something, so that there may be more.
    private func read() -> Bool {
      guard !isAtEnd else { return false }
      // Safe: the call writes no more than the buffer holds, and what it has written is copied.
      return unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        let count = unsafe Foundation.read(descriptor.number, buffer.baseAddress, buffer.count)
        guard count > 0 else {
          if count == 0 || (errno != EAGAIN && errno != EINTR) { stop() }
          return false
        }
        unsafe append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return true
      }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
      guard !isDiscarding else { return }
      guard bytes.count <= limit - data.count else {
        isTooLarge = true
        return discard()
      }
      unsafe data.append(contentsOf: bytes)
    }
  }
#endif
