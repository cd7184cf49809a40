extension LoopbackServer {
  /// A call of the system that failed.
  public struct Failure: Error, CustomStringConvertible {
    public let call: String
    public let code: CInt

    public var description: String { "\(call) failed with errno \(code)" }
  }
}
