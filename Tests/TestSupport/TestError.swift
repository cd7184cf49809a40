/// An error with a number, to tell one from another.
public struct TestError: Error, Equatable, Sendable {
  public let number: Int
  public init(_ number: Int = 0) { self.number = number }
}
