import Foundation

#if canImport(Darwin)
  import Darwin
#endif

extension sigaction {
  typealias Handler = @convention(c) (Int32) -> Void

  // The function that the system calls with the number of a signal. Safe, because a union of two functions has the same
  // bytes for both, and these are only copied.
  #if canImport(Darwin)
    var handler: Handler? {
      get { unsafe __sigaction_u.__sa_handler }
      set { unsafe __sigaction_u.__sa_handler = newValue }
    }
  #elseif canImport(Musl)
    var handler: Handler? {
      get { unsafe __sa_handler.sa_handler }
      set { unsafe __sa_handler.sa_handler = newValue }
    }
  #elseif canImport(Android)
    // The union has no name, so its members are those of the structure.
    var handler: Handler? {
      get { sa_handler }
      set { sa_handler = newValue }
    }
  #else
    var handler: Handler? {
      get { unsafe __sigaction_handler.sa_handler }
      set { unsafe __sigaction_handler.sa_handler = newValue }
    }
  #endif

  /// Whether the signal is ignored.
  var isIgnoring: Bool {
    // The number is that of `SIG_IGN` on all systems. Safe, because the types have the same size.
    unsafe unsafeBitCast(handler, to: Int.self) == 1
  }
}
