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
    private let source: any DispatchSourceRead
    private let descriptor: Descriptor
    private var changed: () -> Void = {}

    /// - Parameters:
    ///   - limit: how many bytes are kept.
    ///   - queue: where all of this runs.
    init(_ descriptor: Descriptor, atMost limit: Int, on queue: DispatchQueue) {
      self.descriptor = descriptor
      self.limit = limit
      descriptor.makeNonblocking()
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    }

    /// - Parameter changed: runs when the end or the limit was reached.
    func start(on queue: DispatchQueue, _ changed: @escaping () -> Void) {
      self.changed = changed
      source.setEventHandler { [self] in readAll(on: queue) }
      // The file may be closed only when Dispatch has let it go.
      source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
      source.activate()
    }

    func discard() {
      isDiscarding = true
      data = Data()
    }

    /// Reads what is in the pipe now, up to a mebibyte, which is as much as a pipe can hold.
    ///
    /// - Returns: whether there may be more.
    @discardableResult
    func drain() -> Bool {
      for _ in 0..<16 where !read() { return false }
      return !isAtEnd
    }

    /// Reads until the pipe is empty. On Linux Dispatch reports only once that the other end was closed, also if not all was read then.
    private func readAll(on queue: DispatchQueue) {
      // `stop` releases it.
      let changed = changed
      let mayHaveMore = drain()
      if isAtEnd || isTooLarge { changed() }
      // In another turn, so that the queue also notices the end of the program.
      if mayHaveMore { queue.async { [self] in readAll(on: queue) } }
    }

    func stop() {
      isAtEnd = true
      changed = {}
      source.cancel()
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
