import Dispatch

// Declarations of google/promises 2.4, in our own words, for programs that import it beside this library. Those that
// lead to Objective-C are missing. Nothing works: each function stops the program.

public final class Promise<Value> {
  public static func pending() -> Promise<Value> { stub() }
  public init() { stub() }
  public init(_ error: Error) { stub() }
  public init(_ work: @autoclosure () throws -> Value) { stub() }

  public func fulfill(_ resolution: Value) { stub() }
  public func reject(_ error: Error) { stub() }
}

extension Promise: CustomStringConvertible {
  public var description: String { stub() }
}

extension DispatchQueue {
  public static var promises: DispatchQueue {
    get { stub() }
    set { stub() }
  }
}

public enum PromiseError: Error {
  case timedOut
  case validationFailure
}

public enum Maybe<Value> {
  case value(Value)
  case error(Error)

  public var value: Value? { stub() }
  public var error: Error? { stub() }
}

func stub() -> Never { fatalError("a stub") }
