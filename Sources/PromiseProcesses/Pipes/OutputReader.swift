#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  /// Reads the output that a program writes to a pipe, and gathers it or passes it on. All methods run on one queue.
  ///
  /// Gathered output is read as soon as it comes. Output for a consumer is read when the consumer waits for it.
  final class OutputReader: @unchecked Sendable {
    // `@unchecked Sendable`, because the variables are accessed only on that queue.
    private(set) var data = Data()
    /// Whether no process can write to the pipe any more, or reading was stopped.
    var isAtEnd: Bool { descriptor == nil }
    private(set) var isTooLarge = false
    /// Whether further output is read and discarded. A program that is being stopped must not block because its pipe is
    /// full.
    private var isDiscarding = false
    private let destination: Destination
    /// `nil` from the end on, so that no process waits for a reader.
    private var descriptor: Descriptor?
    private let queue: DispatchQueue
    private let monitor: DescriptorMonitor
    private var wait: DescriptorMonitor.WaitID?
    /// The wait for the end of an output that its consumer may not read.
    private var endWait: DescriptorMonitor.WaitID?
    private var changed: () -> Void = {}

    enum Destination {
      /// ``data``, which may have no more bytes than the limit.
      case memory(limit: Int)
      case consumer(OutputChannel)
    }

    /// - Parameter queue: the queue on which the reader is used.
    init(
      _ descriptor: Descriptor, to destination: Destination, on queue: DispatchQueue, with monitor: DescriptorMonitor
    ) {
      self.descriptor = descriptor
      self.destination = destination
      self.queue = queue
      self.monitor = monitor
      descriptor.makeNonblocking()
    }

    /// Starts to read.
    ///
    /// - Parameter changed: runs when the end or the limit was reached.
    func start(_ changed: @escaping () -> Void) {
      self.changed = changed
      guard case .consumer(let channel) = destination else { return waitForOutput() }
      channel.open { [self] in queue.async { [self] in serve(channel) } }
    }

    private func waitForOutput() {
      guard let descriptor else { return }
      wait = monitor.wait(for: POLLIN, of: descriptor, on: queue) { [self] in
        wait = nil
        if case .consumer(let channel) = destination, !isDiscarding { serve(channel) } else { readAll() }
      }
    }

    /// Calls `changed` also if the end comes while the consumer does not read. Reads the rest of the pipe then.
    func waitForEnd() {
      guard case .consumer = destination, let descriptor else { return }
      #if canImport(Darwin)
        // `poll` does not report the end alone. If more output comes first, only the consumer or `drain` finds the end.
        let events = POLLIN
      #else
        let events: Int32 = 0
      #endif
      endWait = monitor.wait(for: events, of: descriptor, on: queue) { [self] in
        endWait = nil
        // Copied, because `stop` releases the closure.
        let changed = changed
        drain()
        if isAtEnd { changed() }
      }
    }

    /// Reads one chunk if the consumer waits for it, or everything if the consumer has left.
    private func serve(_ channel: OutputChannel) {
      guard !isAtEnd, !isDiscarding, wait == nil else { return }
      switch channel.demand {
      case .none: return
      case .discarding: return discard()
      case .chunk:
        // Copied, because `stop` releases the closure.
        let changed = changed
        if read() { return }
        if isAtEnd { changed() } else { waitForOutput() }
      }
    }

    func discard() {
      isDiscarding = true
      data = Data()
      if case .consumer = destination, wait == nil, !isAtEnd { waitForOutput() }
    }

    /// Reads the present content of the pipe, up to a mebibyte, which is the largest size of a pipe.
    func drain() {
      for _ in 0..<16 where !read() { return }
    }

    /// Reads, and waits for more until the pipe is at its end. A pipe whose other end is closed may still contain
    /// output.
    private func readAll() {
      guard !isAtEnd else { return }
      // Copied, because `stop` releases the closure.
      let changed = changed
      drain()
      if isAtEnd || isTooLarge { changed() }
      if !isAtEnd { waitForOutput() }
    }

    func stop() {
      descriptor = nil
      changed = {}
      if case .consumer(let channel) = destination { channel.end() }
      for wait in [wait.take(), endWait.take()].compactMap({ $0 }) { monitor.cancel(wait) }
    }

    /// Reads once.
    ///
    /// - Returns: whether it has read bytes, so that there may be more.
    private func read() -> Bool {
      guard let descriptor else { return false }
      // Safe, because the call writes no more bytes than the buffer has, and those are copied.
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
      switch destination {
      case .consumer(let channel): unsafe channel.send(Data(bytes))
      case .memory(let limit):
        guard bytes.count <= limit - data.count else {
          isTooLarge = true
          return discard()
        }
        unsafe data.append(contentsOf: bytes)
      }
    }
  }
#endif
