public import PromiseCore

// The state of the queues of gates, and their pauses. What is common to the gates is described at `SerialGate`.

extension SerialGate {
  /// The number of operations that have a place. An operation that was admitted, and whose closure has not been called
  /// yet, is one of them.
  ///
  /// - Complexity: O(1).
  public var runningCount: Int { admission.runningCount }

  /// The number of operations that wait for a place.
  ///
  /// - Complexity: O(1).
  public var waitingCount: Int { admission.waitingCount }

  /// Whether the gate admits no operations at the moment.
  ///
  /// An operation that was admitted before continues. Operations that wait keep their places in the queue, and are
  /// admitted when this is `false` again. A limit of their waiting time goes on. If several parts of a program pause
  /// the same gate, the last of them to set this decides. If the gate is released while it is paused, the operations
  /// that wait are admitted.
  ///
  /// - Complexity: O(1). With `false`, operations are admitted inside the call.
  public var isPaused: Bool {
    get { admission.isPaused }
    set { admission.isPaused = newValue }
  }

  /// Returns a promise that is fulfilled when no operation has a place or waits for one.
  ///
  /// It is fulfilled at once if that is so. Operations that arrive before the last one has left are waited for, too. When
  /// it is fulfilled, all results of these are settled.
  ///
  /// Cancelling the promise affects neither the gate nor other clients.
  ///
  /// - Parameters:
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public func whenIdle(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.idle, fileID, line)
  }

  /// Returns a promise that is fulfilled when no operation has a place. Operations that wait are not waited for.
  ///
  /// It is fulfilled at once if that is so. To use the resource behind a gate without its operations, pause the gate
  /// and wait until those inside have left:
  ///
  /// ```swift
  /// gate.isPaused = true
  /// let replaced = gate.whenEmpty().then { database.replace() }.always { _ in gate.isPaused = false }
  /// ```
  ///
  /// Cancelling the promise affects neither the gate nor other clients.
  ///
  /// - Parameters:
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public func whenEmpty(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.empty, fileID, line)
  }

  /// Returns a promise that is fulfilled when the queue has room for a further operation.
  ///
  /// It is fulfilled at once if that is so, and always if the gate has no `queueLimit`. A producer that waits for it
  /// before each operation does not fill the queue, and its operations are not refused:
  ///
  /// ```swift
  /// for await event in events {
  ///   try await log.whenRoom().value
  ///   log.run { store.append(event) }.onFailed { error in report(error) }
  /// }
  /// ```
  ///
  /// The promise reserves no place. If several producers wait for room, all of them are told when one operation has
  /// left the queue. With a `queueLimit` of zero, there is room while an operation need not wait. For a
  /// ``ReadersWriterGate``, that is a reader.
  ///
  /// Cancelling the promise affects neither the gate nor other clients.
  ///
  /// - Parameters:
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public func whenRoom(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.room, fileID, line)
  }
}

extension ConcurrencyLimit {
  /// The number of operations that have a place. See ``SerialGate/runningCount``.
  public var runningCount: Int { admission.runningCount }

  /// The number of operations that wait for a place. See ``SerialGate/waitingCount``.
  public var waitingCount: Int { admission.waitingCount }

  /// Whether the gate admits no operations at the moment. See ``SerialGate/isPaused``.
  public var isPaused: Bool {
    get { admission.isPaused }
    set { admission.isPaused = newValue }
  }

  /// Returns a promise that is fulfilled when no operation has a place or waits for one. See
  /// ``SerialGate/whenIdle(fileID:line:)``.
  public func whenIdle(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.idle, fileID, line)
  }

  /// Returns a promise that is fulfilled when no operation has a place. Operations that wait are not waited for. See
  /// ``SerialGate/whenEmpty(fileID:line:)``.
  public func whenEmpty(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.empty, fileID, line)
  }

  /// Returns a promise that is fulfilled when the queue has room for a further operation. See
  /// ``SerialGate/whenRoom(fileID:line:)``.
  public func whenRoom(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.room, fileID, line)
  }
}

extension ReadersWriterGate {
  /// The number of operations that have a place. See ``SerialGate/runningCount``.
  public var runningCount: Int { admission.runningCount }

  /// The number of operations that wait for a place. See ``SerialGate/waitingCount``.
  public var waitingCount: Int { admission.waitingCount }

  /// Whether the gate admits no operations at the moment. See ``SerialGate/isPaused``.
  public var isPaused: Bool {
    get { admission.isPaused }
    set { admission.isPaused = newValue }
  }

  /// Returns a promise that is fulfilled when no operation has a place or waits for one. See
  /// ``SerialGate/whenIdle(fileID:line:)``.
  public func whenIdle(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.idle, fileID, line)
  }

  /// Returns a promise that is fulfilled when no operation has a place. Operations that wait are not waited for. See
  /// ``SerialGate/whenEmpty(fileID:line:)``.
  public func whenEmpty(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.empty, fileID, line)
  }

  /// Returns a promise that is fulfilled when the queue has room for a further operation. See
  /// ``SerialGate/whenRoom(fileID:line:)``.
  public func whenRoom(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.room, fileID, line)
  }
}

extension RateLimit {
  /// The number of operations that have not started yet.
  ///
  /// - Complexity: O(1).
  public var waitingCount: Int { admission.guestCount }

  /// Whether the gate admits no operations at the moment. See ``SerialGate/isPaused``.
  public var isPaused: Bool {
    get { admission.isPaused }
    set { admission.isPaused = newValue }
  }

  /// Returns a promise that is fulfilled when no operation waits any more.
  ///
  /// It is fulfilled at once if none waits. Operations that arrive before the last one begins are waited for, too. An
  /// operation that has started does not count, although its promise may be pending.
  ///
  /// Cancelling the promise affects neither the gate nor other clients.
  ///
  /// - Parameters:
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public func whenIdle(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.idle, fileID, line)
  }

  /// Returns a promise that is fulfilled when the queue has room for a further operation. See
  /// ``SerialGate/whenRoom(fileID:line:)``.
  public func whenRoom(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    admission.when(.room, fileID, line)
  }
}
