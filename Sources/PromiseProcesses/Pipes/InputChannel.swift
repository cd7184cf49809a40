#if os(macOS) || os(Linux)
  import Foundation
  import PromiseCore
  import PromiseFoundation

  /// Passes what a client writes to a program from its ``CommandInput`` to the ``InputWriter``.
  ///
  /// Invariant: a piece of which the program may have received bytes is written to its end, unless the program closes its
  /// input or is stopped. So a program never receives half of what a cancelled call has written.
  final class InputChannel: @unchecked Sendable {
    // `@unchecked Sendable`, because the variables are accessed only under the lock.

    /// The bytes of one call.
    private struct Piece {
      let id: Int
      let count: Int
      /// The bytes that are not written.
      var rest: Data
      /// Whether the program may have received some of the bytes.
      var isBegun = false
      /// The promise of the call. `nil` for an input that the command has, and after a cancellation.
      var written: Deferred<Void>?
      /// Settled when a cancelled piece that was begun is at its end.
      var ended: Deferred<Void>?
    }

    private enum Ending {
      /// The client has closed the input, or the program has.
      case closed
      /// The program could not be started.
      case failed(any Error)
      /// The program was stopped for this reason.
      case stopped(any Error)
    }

    private let program: String
    private let lock = ShortLock()
    /// The pieces that are not written, in the order of the calls.
    private var pieces: ArraySlice<Piece> = []
    private var lastID = 0
    /// The reason why nothing more can be written.
    private var ending: Ending?
    private var wakeWriter: (@Sendable () -> Void)?

    init(of program: String) { self.program = program }

    /// Creates a channel with the whole input.
    init(of program: String, closedBehind data: Data) {
      self.program = program
      pieces = [Piece(id: 0, count: data.count, rest: data)]
      ending = .closed
    }

    // MARK: - For the client

    /// Adds bytes. The promise is fulfilled when all of them are in the pipe.
    func write(_ data: Data, at site: CreationSite) -> Promise<Void> {
      let written = Deferred<Void>(at: site)
      let (ending, id, wakeWriter) = lock.locked { () -> (Ending?, Int, (@Sendable () -> Void)?) in
        guard self.ending == nil else { return (self.ending, 0, nil) }
        lastID += 1
        pieces.append(Piece(id: lastID, count: data.count, rest: data, written: written))
        return (nil, lastID, self.wakeWriter)
      }
      if let ending {
        settle(written, with: ending)
      } else {
        written.addAwaitedCancelHook(at: site) { [weak self] _ in self?.takeBack(id) ?? .fulfilled(()) }
      }
      wakeWriter?()
      return written.promise
    }

    /// Removes a piece whose promise was cancelled, unless it was begun.
    ///
    /// - Returns: a promise that is fulfilled when no more of it is written.
    private func takeBack(_ id: Int) -> Promise<Void> {
      // Bytes may run code of the client when they are released, and so are released outside the lock (rule 6.5).
      let (removed, ended) = lock.locked { () -> (Piece?, Deferred<Void>?) in
        guard let index = pieces.firstIndex(where: { $0.id == id }) else { return (nil, nil) }
        guard pieces[index].isBegun else { return (pieces.remove(at: index), nil) }
        let ended = Deferred<Void>()
        pieces[index].written = nil
        pieces[index].ended = ended
        return (nil, ended)
      }
      return withExtendedLifetime(removed) { ended?.promise ?? .fulfilled(()) }
    }

    /// Lets the program find the end of its input behind what was written.
    func close() {
      let wakeWriter = lock.locked { () -> (@Sendable () -> Void)? in
        guard ending == nil else { return nil }
        ending = .closed
        return self.wakeWriter
      }
      wakeWriter?()
    }

    // MARK: - For the program

    /// Rejects what was not written, because the program has closed its input or has ended.
    func end() { end(with: .closed) }

    /// Rejects what was not written, because the program could not be started.
    func fail(with error: any Error) { end(with: .failed(error)) }

    /// Cancels what was not written, because the program was stopped.
    func stop(because reason: any Error) { end(with: .stopped(reason)) }

    private func end(with new: Ending) {
      let (dropped, writer) = lock.locked { () -> (ArraySlice<Piece>, (@Sendable () -> Void)?) in
        if case .closed = ending ?? .closed { ending = new }
        defer { pieces = [] }
        return (pieces, wakeWriter.take())
      }
      for piece in dropped {
        if let written = piece.written { settle(written, with: new) }
        piece.ended?.ownedPromise.settleIfPending(.success(()))
      }
      // Released outside the lock.
      withExtendedLifetime(writer) {}
    }

    private func settle(_ written: Deferred<Void>, with ending: Ending) {
      switch ending {
      case .closed: written.rejectIfPending(with: CommandError.inputClosed(program: program))
      case .failed(let error):
        written.rejectIfPending(with: error)
        // Reading the error marks it as handled, because the client gets it from the result, too (rule 7.1).
        _ = written.promise.error
      case .stopped(let reason): written.promise.cancel(reason: reason)
      }
    }

    // MARK: - For the writer

    enum Demand: Equatable {
      /// The client has nothing to write now.
      case none
      case bytes(Data)
      /// Everything is written, and the client has closed the input.
      case end
    }

    /// Connects the writer.
    ///
    /// - Parameter wakeWriter: is called when the demand may have changed, on any thread. It is released at the end.
    func open(_ wakeWriter: @escaping @Sendable () -> Void) {
      lock.locked { self.wakeWriter = wakeWriter }
      wakeWriter()
    }

    /// Returns the next bytes, and begins their piece. ``advance(by:)`` must follow.
    func next(atMost limit: Int) -> Demand {
      lock.locked {
        guard var piece = pieces.first else { return ending == nil ? .none : .end }
        piece.isBegun = true
        pieces[pieces.startIndex] = piece
        return .bytes(piece.rest.prefix(limit))
      }
    }

    /// Notes how many of the bytes that `next` has returned are written.
    func advance(by count: Int) {
      // `end` may have removed the piece.
      guard let (old, piece) = lock.locked({ advanceFirst(by: count) }) else { return }
      // Released outside the lock.
      defer { withExtendedLifetime(old) {} }
      guard piece.rest.isEmpty else {
        piece.written?.report(progress: 1 - Double(piece.rest.count) / Double(piece.count))
        return
      }
      piece.written?.ownedPromise.settleIfPending(.success(()))
      piece.ended?.ownedPromise.settleIfPending(.success(()))
    }

    /// - Returns: the piece before and after the change. It has no rest if it was removed.
    private func advanceFirst(by count: Int) -> (old: Piece, new: Piece)? {
      guard let old = pieces.first else { return nil }
      var piece = old
      piece.rest = piece.rest.dropFirst(count)
      piece.isBegun = piece.rest.count < piece.count
      // It was cancelled during the call that has written nothing.
      if !piece.isBegun, piece.ended != nil { piece.rest = Data() }
      if !piece.rest.isEmpty {
        pieces[pieces.startIndex] = piece
      } else {
        // Overwritten, because a slice keeps what is removed at its start until it gets another buffer.
        pieces[pieces.startIndex] = Piece(id: 0, count: 0, rest: Data())
        pieces.removeFirst()
      }
      return (old, piece)
    }
  }

  /// The clients that may still write to a program. When the last of them is deallocated, the input is closed.
  final class InputClient: Sendable {
    let channel: InputChannel

    init(of channel: InputChannel) { self.channel = channel }

    deinit { channel.close() }
  }
#endif
