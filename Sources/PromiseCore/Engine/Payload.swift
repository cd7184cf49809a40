/// Room for an outcome: an error, a value of up to two words, or a reference to a box with a value that is larger or
/// must not be moved by copying words.
///
/// Raw memory instead of a generic field. So every promise has the same layout, the engine need not know the type of
/// the value, and a handler can hand its value to the engine before any lock is acquired. What the words contain is
/// known from the state of the promise, and from its type.
@safe @usableFromInline
package struct Payload: Sendable {
  // 64 bits on every platform, because a number may be stored here.
  @usableFromInline package var words: (UInt64, UInt64)

  @_alwaysEmitIntoClient package init() { words = (0, 0) }

  /// Creates the payload of a forwarded promise.
  init(forwardee: PromisePointer) { words = (UInt64(forwardee.address), 0) }

  /// The promise to which a forwarded promise forwards.
  var forwardee: PromisePointer { PromisePointer(address: UInt(truncatingIfNeeded: words.0)) }

  /// Creates the payload of a pending entry that has adopted a promise.
  init(shares: ProgressShares) { words = (shares.amount.bitPattern, shares.share.bitPattern) }

  /// The shares of a pending entry that has adopted a promise.
  var shares: ProgressShares {
    ProgressShares(amount: Double(bitPattern: words.0), share: Double(bitPattern: words.1))
  }
}

// MARK: - Errors

extension Payload {
  /// Creates the payload of a rejection.
  ///
  /// - Parameter amount: how much of its weight the promise had done.
  init(error: any Error, amount: Double) {
    words = (0, amount.bitPattern)
    // Safe, here and below, because an error is one word, and only the payload of a rejection is read as one.
    unsafe withUnsafeMutablePointer(to: &words) {
      _ = unsafe UnsafeMutableRawPointer($0).initializeMemory(as: (any Error).self, to: error)
    }
  }

  /// The error of a rejection.
  ///
  /// Never inlined. In the words, which are numbers, the optimiser sees no reference that a call could release, and so
  /// it has moved the retain of an inlined read behind a call that consumed the error.
  @inline(never)
  var error: any Error {
    unsafe withUnsafePointer(to: words) { unsafe UnsafeRawPointer($0).load(as: (any Error).self) }
  }

  /// Whether an error is the error of this rejection, in the same existential box.
  func isSameError(as other: any Error) -> Bool {
    var given = Payload(error: other, amount: 0)
    defer { given.destroyError() }
    return words.0 == given.words.0
  }

  /// How much of its weight the promise had done when it was rejected.
  var amount: Double { Double(bitPattern: words.1) }

  mutating func destroyError() {
    unsafe withUnsafeMutablePointer(to: &words) {
      _ = unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: (any Error).self).deinitialize(count: 1)
    }
  }
}

extension AnyPromise {
  /// The error of a settled promise, if it was rejected.
  @usableFromInline final var storedError: (any Error)? {
    let state = relaxedState
    return state.isDone && state.isRejected ? payload.error : nil
  }
}

// MARK: - Values

/// A value that a payload cannot hold. Promises to which the value is passed on share it.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable init(_ value: consuming Value) { self.value = value }
}

extension Promise {
  /// Whether a value fits into a payload, and may be moved with it by copying the words. A constant wherever the type
  /// is known.
  ///
  /// A weak reference and a C++ structure with a move constructor must not be moved so, because other memory may have
  /// their address.
  @_alwaysEmitIntoClient
  static var isInline: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Payload>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Payload>.alignment && _isBitwiseTakable(Value.self)
  }

  /// Returns the payload for a value of this type.
  @_alwaysEmitIntoClient
  static func payload(of value: Value) -> Payload {
    var payload = Payload()
    // Safe, here and below, because a payload is read as the type for which it was made: a promise of this type has it.
    unsafe _withUnprotectedUnsafeMutablePointer(to: &payload) {
      let memory = UnsafeMutableRawPointer($0)
      if isInline {
        _ = unsafe memory.initializeMemory(as: Value.self, to: value)
      } else {
        _ = unsafe memory.initializeMemory(as: ValueBox<Value>.self, to: ValueBox(value))
      }
    }
    return payload
  }

  /// The value of this promise, which is fulfilled.
  @_alwaysEmitIntoClient
  var fulfilledValue: Value {
    Self.isInline && _isPOD(Value.self) ? Self.read(payload) : Self.readCounted(payload)
  }

  /// Never inlined, for the reason that `Payload.error` gives.
  @_alwaysEmitIntoClient @inline(never)
  static func readCounted(_ payload: Payload) -> Value { read(payload) }

  @_alwaysEmitIntoClient @inline(__always)
  static func read(_ payload: Payload) -> Value {
    unsafe _withUnprotectedUnsafePointer(to: payload) {
      let memory = unsafe UnsafeRawPointer($0)
      return isInline
        ? unsafe memory.assumingMemoryBound(to: Value.self).pointee
        : unsafe memory.assumingMemoryBound(to: ValueBox<Value>.self).pointee.value
    }
  }

  /// Releases a value of this type.
  static func release(_ value: Payload) {
    // The type is not known here, so the runtime would be asked to release a number, too.
    if isInline, _isPOD(Value.self) { return }
    var payload = value
    unsafe withUnsafeMutablePointer(to: &payload) {
      let memory = UnsafeMutableRawPointer($0)
      if isInline {
        _ = unsafe memory.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      } else {
        _ = unsafe memory.assumingMemoryBound(to: ValueBox<Value>.self).deinitialize(count: 1)
      }
    }
  }

  /// A copy of the payload of this fulfilled promise.
  final var copiedPayload: Payload {
    if Self.isInline, _isPOD(Value.self) { return payload }
    var copy = payload
    unsafe withUnsafeMutablePointer(to: &copy) { copy in
      unsafe withUnsafePointer(to: payload) {
        let target = UnsafeMutableRawPointer(copy)
        let source = unsafe UnsafeRawPointer($0)
        if Self.isInline {
          _ = unsafe target.initializeMemory(as: Value.self, from: source.assumingMemoryBound(to: Value.self), count: 1)
        } else {
          let box = unsafe source.assumingMemoryBound(to: ValueBox<Value>.self)
          _ = unsafe target.initializeMemory(as: ValueBox<Value>.self, from: box, count: 1)
        }
      }
    }
    return copy
  }
}
