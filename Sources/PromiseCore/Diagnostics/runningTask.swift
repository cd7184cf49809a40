/// Tells one running Task from another as long as both live; `nil`: the thread runs none.
package var runningTask: Int? {
  // Safe: only compared.
  unsafe withUnsafeCurrentTask { unsafe $0?.hashValue }
}
