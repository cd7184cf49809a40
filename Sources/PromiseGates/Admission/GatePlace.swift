public import PromiseCore

/// A place in a gate, which its client has taken without waiting.
///
/// ```swift
/// func refresh() -> Promise<Feed>? {
///   // nil if another refresh runs
///   guard let place = refreshing.tryEnter() else { return nil }
///   let feed = server.feed()
///   place.leave(after: feed)
///   return feed
/// }
/// ```
///
/// The place is given back by ``leave()`` or ``leave(after:)``, and at the latest when this object is deallocated, unless
/// a promise keeps it longer. So async code leaves with `defer { place.leave() }`. Then the gate admits the operations
/// that wait.
public final class GatePlace: @unchecked Sendable {
  // `@unchecked Sendable`, because the variable is used under the lock only.
  private let lock = ShortLock()
  private var isLeaving = false
  private let ticket: AdmissionControl.Ticket
  private let admitted: PlacePromise

  init(_ ticket: AdmissionControl.Ticket, admitted: PlacePromise) {
    self.ticket = ticket
    self.admitted = admitted
  }

  /// Gives the place back, and lets the gate admit those that wait. Further calls have no effect.
  ///
  /// - Complexity: amortized O(1). No closure of an operation runs inside this call, unless its context is immediate.
  public func leave() { ticket.leave() }

  /// Gives the place back when the promise has finished (rule 2.11), or with `until: .settled` of the gate when it is
  /// settled, as for the promise of an operation of the gate. A second call has no effect.
  ///
  /// The promise may be rejected or cancelled. That is not handled here, and to leave does not make the gate its
  /// consumer (rule 4.0). If the promise has finished already, this leaves at once. A call of ``leave()`` does not wait
  /// for it.
  ///
  /// - Parameter promise: a promise of the work for which the place was taken.
  /// - Complexity: O(1).
  public func leave(after promise: AnyPromise) {
    let isFirst = lock.locked {
      defer { isLeaving = true }
      return !isLeaving
    }
    guard isFirst else { return }
    // The ticket retains the promise until that is settled, and must not be its client.
    ticket.leave(after: promise.resolved, admittedBy: admitted)
  }
}

extension SerialGate {
  /// Enters the gate if no operation is inside or waits, and returns the place. Returns `nil` where
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)`` would wait.
  ///
  /// ```swift
  /// guard let place = saving.tryEnter() else { return }
  /// defer { place.leave() }
  /// try await save()
  /// ```
  ///
  /// The caller is inside the gate when this returns, and no operation is admitted before the place is given back. A
  /// paused gate has no place. The call never waits, takes no operation's turn, and does not use the `queueLimit` or the
  /// `waitingAtMost` of the gate. While another thread gives a place back, it may return `nil`, although the place is
  /// free soon.
  ///
  /// - Parameters:
  ///   - fileID: the file of the call, for descriptions.
  ///   - line: the line of the call.
  /// - Complexity: O(1).
  public func tryEnter(fileID: StaticString = #fileID, line: UInt = #line) -> GatePlace? {
    admission.place(at: CreationSite(fileID: fileID, line: line))
  }
}

extension ConcurrencyLimit {
  /// Takes a place if one is free and no operation waits. Otherwise as ``SerialGate/tryEnter(fileID:line:)``.
  public func tryEnter(fileID: StaticString = #fileID, line: UInt = #line) -> GatePlace? {
    admission.place(at: CreationSite(fileID: fileID, line: line))
  }
}

extension ReadersWriterGate {
  /// Enters the gate as a reader if no writer is inside and no operation waits. Otherwise as
  /// ``SerialGate/tryEnter(fileID:line:)``.
  public func tryRead(fileID: StaticString = #fileID, line: UInt = #line) -> GatePlace? {
    admission.place(at: CreationSite(fileID: fileID, line: line))
  }

  /// Enters the gate as the writer if no operation is inside or waits. Otherwise as
  /// ``SerialGate/tryEnter(fileID:line:)``.
  public func tryWrite(fileID: StaticString = #fileID, line: UInt = #line) -> GatePlace? {
    admission.place(taking: Self.places, at: CreationSite(fileID: fileID, line: line))
  }
}

extension AdmissionControl {
  fileprivate func place(taking places: Int = 1, at site: CreationSite) -> GatePlace? {
    tryEnter(taking: places, at: site).map { ticket, admitted in GatePlace(ticket, admitted: admitted) }
  }
}
