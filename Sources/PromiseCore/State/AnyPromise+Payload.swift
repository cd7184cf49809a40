/// Room for an outcome: an error, a value of up to two words, or the address of a larger value.
///
/// Raw memory instead of a generic field. So every promise has the same layout, the engine need not know the type of
/// the value, and releasing a promise needs no generic metadata. The metadata of `Value?` would be looked up in a table
/// each time.
///
/// `AnyPromise` says which thread may access the payload in which state. The state word says what the payload holds.
@usableFromInline
package typealias Payload = (UInt, UInt)

// MARK: - Errors

extension AnyPromise {
  /// The error of a settled promise, if it was rejected.
  @usableFromInline final var storedError: (any Error)? {
    guard relaxedState.isRejected else { return nil }
    return unsafe withUnsafePointer(to: payload) { unsafe UnsafeRawPointer($0).load(as: (any Error).self) }
  }

  /// Writes the error. Only the claimer calls this, once.
  final func store(_ error: any Error) {
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).initializeMemory(as: (any Error).self, to: error)
    }
  }

  /// Releases the error of a rejected promise, which is being deallocated.
  final func destroyError() {
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: (any Error).self).deinitialize(count: 1)
    }
  }
}

// MARK: - Values

extension Promise {
  /// Whether a value fits into the promise itself. A constant wherever the type is known.
  @_alwaysEmitIntoClient
  static var isInline: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Payload>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Payload>.alignment
  }

  /// The value of a promise that is fulfilled.
  @_alwaysEmitIntoClient
  var fulfilledValue: Value {
    guard Self.isInline else {
      // Safe, because the box lives as long as the promise.
      return unsafe UnsafePointer<Value>(bitPattern: payload.0).unsafelyUnwrapped.pointee
    }
    return unsafe withUnsafePointer(to: payload) {
      unsafe UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee
    }
  }

  /// Writes the value. Only the claimer calls this, once.
  @_alwaysEmitIntoClient
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

  /// Claims the promise and writes a value. The caller publishes.
  @_alwaysEmitIntoClient
  final func claim(fulfilling value: Value) -> Bool {
    guard claim(.fulfilling) else { return false }
    store(value)
    return true
  }

  /// Claims the promise and writes what the closure returns or throws. The caller publishes.
  @_alwaysEmitIntoClient
  final func claim(with body: () throws -> Value) -> Bool {
    do { return claim(fulfilling: try body()) } catch { return claim(rejecting: error) }
  }

  /// Releases the value of a fulfilled promise, which is being deallocated.
  func destroyValue() {
    guard Self.isInline else {
      let box = unsafe UnsafeMutablePointer<Value>(bitPattern: payload.0).unsafelyUnwrapped
      unsafe box.deinitialize(count: 1)
      return unsafe box.deallocate()
    }
    // The type is not known here, so the runtime would be asked to release a number, too.
    if _isPOD(Value.self) { return }
    unsafe withUnsafeMutablePointer(to: &payload) {
      _ = unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
  }
}
