extension LoopbackServer {
  /// A system call that failed.
  public struct Failure: Error, CustomStringConvertible {
    public let call: String
    public let code: CInt

    public var description: String { "\(call) failed with errno \(code)" }
  }
}
