#if os(macOS) || os(Linux)
  import Foundation
  import PromiseCore

  /// Passes the output of a program from an ``OutputReader`` to its consumer. The reader reads only when the consumer
  /// waits, so the program waits when the pipe is full.
  ///
  /// Two more cases exist. When the program has ended, the reader adds the rest of the pipe, so that the pipe can be
  /// closed. When the consumer has left, the reader reads on and discards the output.
  ///
  /// Invariant: while a consumer waits, there are no chunks, and the output has not ended.
  final class OutputChannel: @unchecked Sendable {
    // `@unchecked Sendable`, because the variables are accessed only under the lock.
    typealias Waiter = CheckedContinuation<Data?, any Error>

    private let lock = ShortLock()
    private var chunks: [Data] = []
    private var ending: Result<Data?, any Error>?
    private var waiter: Waiter?
    /// The number of calls of `next`. A call is named by its number, so that it cancels no wait but its own.
    private var callCount = 0
    private var waitingCall = 0
    private var wakeReader: (@Sendable () -> Void)?
    private var isClaimed = false
    private var hasConsumerLeft = false

    // MARK: - For the consumer

    /// Makes the caller the consumer, unless there was one before.
    func claim() -> Bool {
      lock.locked {
        defer { isClaimed = true }
        return !isClaimed
      }
    }

    /// Waits for the next chunk.
    ///
    /// - Parameter busy: the error for a call during another call.
    /// - Returns: `nil` at the end of the output.
    nonisolated(nonsending) func next(orThrow busy: any Error) async throws -> Data? {
      try Task.checkCancellation()
      let call = lock.locked {
        callCount += 1
        return callCount
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { new in
          wait(new, of: call, orThrow: busy)
          // A cancellation before the line above has found no waiter.
          if Task.isCancelled { cancelWaiter(of: call) }
        }
      } onCancel: {
        cancelWaiter(of: call)
      }
    }

    private func wait(_ new: Waiter, of call: Int, orThrow busy: any Error) {
      typealias Step = (outcome: Result<Data?, any Error>?, wakeReader: (@Sendable () -> Void)?)
      let step = lock.locked { () -> Step in
        if !chunks.isEmpty { return (.success(chunks.removeFirst()), nil) }
        if let ending { return (ending, nil) }
        if waiter != nil { return (.failure(busy), nil) }
        waiter = new
        waitingCall = call
        return (nil, wakeReader)
      }
      if let outcome = step.outcome { new.resume(with: outcome) }
      step.wakeReader?()
    }

    private func cancelWaiter(of call: Int) {
      let cancelled = lock.locked { waitingCall == call ? waiter.take() : nil }
      cancelled?.resume(throwing: CancellationError())
    }

    /// Discards the rest of the output.
    ///
    /// - Parameter isClaimed: whether the consumer leaves. Otherwise the last client leaves that could have claimed the
    ///   output.
    func leave(isClaimed: Bool) {
      let dropped = lock.locked { () -> ([Data], (@Sendable () -> Void)?) in
        guard self.isClaimed == isClaimed else { return ([], nil) }
        hasConsumerLeft = true
        defer { chunks = [] }
        return (chunks, wakeReader)
      }
      dropped.1?()
    }

    // MARK: - For the reader

    enum Demand { case none, chunk, discarding }

    var demand: Demand { lock.locked { hasConsumerLeft ? .discarding : waiter == nil ? .none : .chunk } }

    /// Connects the reader.
    ///
    /// - Parameter wakeReader: is called when the demand may have changed, on any thread. It is released at the end of
    ///   the output.
    func open(_ wakeReader: @escaping @Sendable () -> Void) {
      lock.locked { if ending == nil { self.wakeReader = wakeReader } }
      wakeReader()
    }

    func send(_ chunk: Data) {
      let waiter = lock.locked { () -> Waiter? in
        if let waiter = self.waiter.take() { return waiter }
        if !hasConsumerLeft, ending == nil { chunks.append(chunk) }
        return nil
      }
      waiter?.resume(returning: chunk)
    }

    /// Ends the output. The consumer receives the chunks that were sent before, except after an error.
    func end(throwing error: (any Error)? = nil) {
      let dropped = lock.locked { () -> (Waiter?, [Data], (@Sendable () -> Void)?) in
        guard ending == nil else { return (nil, [], nil) }
        let chunks = error == nil ? [] : self.chunks
        if error != nil { self.chunks = [] }
        ending = error.map { .failure($0) } ?? .success(nil)
        return (waiter.take(), chunks, wakeReader.take())
      }
      dropped.0?.resume(with: error.map { .failure($0) } ?? .success(nil))
    }
  }

  /// The clients that may still begin to read an output.
  final class OutputClaimants: Sendable {
    let channel: OutputChannel

    init(of channel: OutputChannel) { self.channel = channel }

    deinit { channel.leave(isClaimed: false) }
  }

  /// The consumer of an output.
  final class OutputConsumer: Sendable {
    let channel: OutputChannel

    /// - Parameter channel: an output that the caller has claimed.
    init(of channel: OutputChannel) { self.channel = channel }

    deinit { channel.leave(isClaimed: true) }
  }
#endif
