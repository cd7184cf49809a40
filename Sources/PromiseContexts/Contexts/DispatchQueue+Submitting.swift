import CPromiseSystem
package import Dispatch
package import PromiseCore

extension DispatchQueue {
  /// Submits a job to this queue, without a block where that is possible.
  ///
  /// A block is an object of its own, and to make, copy and release it costs more than all the rest of a submission.
  /// Dispatch's C functions take the pointer to the job as it is.
  ///
  /// - Parameters:
  ///   - isBarrier: whether the job has a concurrent queue to itself.
  ///   - usesBlock: whether to submit a block in any case.
  package func submit(_ job: UncheckedJob, asBarrier isBarrier: Bool, usingBlock usesBlock: Bool = !CQueue.isReachable)
  {
    if usesBlock {
      return async(flags: isBarrier ? .barrier : []) { job.run() }
    }
    // Safe, because Dispatch calls the function exactly once. The C queue lives as long as this object, and Dispatch
    // retains it while it has work.
    let pointer = unsafe job.pointer
    withExtendedLifetime(self) {
      let queue = unsafe CQueue.pointer(in: self)
      if isBarrier {
        unsafe promise_barrier_async_f(queue, pointer) { unsafe UncheckedJob.run(owning: $0) }
      } else {
        unsafe promise_async_f(queue, pointer) { unsafe UncheckedJob.run(owning: $0) }
      }
    }
  }
}

/// The object of C that a `DispatchQueue` stands for.
package enum CQueue {
  #if canImport(Darwin)
    /// On Apple systems the class is that of the C object.
    package static let isReachable = true

    static func pointer(in queue: AnyObject) -> UnsafeMutableRawPointer {
      // Safe, because only the address is taken. The caller keeps the queue alive while it uses the pointer.
      unsafe Unmanaged.passUnretained(queue).toOpaque()
    }
  #else
    /// Whether `pointer(in:)` returns the C queue, determined once in a process.
    ///
    /// Elsewhere than on Apple systems a `DispatchQueue` is an object of Swift whose first stored property refers to
    /// the C queue. That property is not public, so reflection has to confirm that it is there.
    package static let isReachable = isReachable(in: DispatchQueue(label: "promise.probe"))

    /// The first stored property stands behind the header of the object.
    static func pointer(in queue: AnyObject) -> UnsafeMutableRawPointer {
      // Safe, because it is called only if reflection has found a stored property of the size of a pointer. The caller
      // keeps the queue alive while it uses the pointer.
      let object = unsafe Unmanaged.passUnretained(queue).toOpaque()
      return unsafe object.load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: UnsafeMutableRawPointer.self)
    }

    package static func isReachable(in queue: AnyObject) -> Bool {
      // The property found has the size of a pointer, so the object has one behind its header.
      guard case (let name?, let value as OpaquePointer)? = Mirror(reflecting: queue).children.first,
        name == "__wrapped"
      else { return false }
      return unsafe OpaquePointer(pointer(in: queue)) == value
    }
  #endif
}
