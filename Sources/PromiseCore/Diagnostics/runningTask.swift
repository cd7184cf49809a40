/// A number that distinguishes the running Task from others that exist at the same time. `nil` if the thread runs no
/// Task.
package var runningTask: Int? {
  // Safe, because the number is only compared.
  unsafe withUnsafeCurrentTask { unsafe $0?.hashValue }
}
