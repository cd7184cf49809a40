/// Room for an outcome: an error, a value of up to two words, or the address of a larger value.
///
/// Raw, rather than a generic field, because then every promise has the same layout, the machinery need not know the type
/// of the value, and letting a promise go needs no generic metadata: `Value?` would have its metadata looked up in a
/// table each time.
///
/// Who may read or write it in which state is said at `AnyPromise`; what it holds, the state word says.
@usableFromInline
package typealias Payload = (UInt, UInt)

// MARK: - Errors

extension AnyPromise {
  /// The error of a settled promise, if it was rejected.
  @usableFromInline final var storedError: (any Error)? {
    guard cellHint.isRejected else { return nil }
    return unsafe withUnsafePointer(to: payload) { unsafe UnsafeRawPointer($0).load(as: (any Error).self) }
  }

  /// Written by the claimer, once.
  final func store(_ error: any Error) {
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).initializeMemory(as: (any Error).self, to: error)
    }
  }

  /// The promise was rejected, and is going.
  final func destroyError() {
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: (any Error).self).deinitialize(count: 1)
    }
  }
}

// MARK: - Values

extension Promise {
  /// Whether a value has room in the promise itself. A constant wherever the type is known.
  @inlinable
  static var isInline: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Payload>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Payload>.alignment
  }

  /// The value of a promise that is known to be fulfilled.
  @inlinable
  var fulfilledValue: Value {
    guard Self.isInline else {
      // Safe: the address of a value that lives as long as the promise.
      return unsafe UnsafePointer<Value>(bitPattern: payload.0).unsafelyUnwrapped.pointee
    }
    return unsafe withUnsafePointer(to: payload) {
      unsafe UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee
    }
  }

  /// Written by the claimer, once.
  @inlinable
  func store(_ value: Value) {
    guard Self.isInline else {
      let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      unsafe box.initialize(to: value)
      unsafe payload.0 = UInt(bitPattern: box)
      return
    }
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).initializeMemory(as: Value.self, to: value)
    }
  }

  /// The promise was fulfilled, and is going.
  func destroyValue() {
    guard Self.isInline else {
      let box = unsafe UnsafeMutablePointer<Value>(bitPattern: payload.0).unsafelyUnwrapped
      unsafe box.deinitialize(count: 1)
      return unsafe box.deallocate()
    }
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
  }
}
