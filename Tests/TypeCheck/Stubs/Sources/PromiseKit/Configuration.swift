import Dispatch

// Declarations of PromiseKit 8, in our own words, for programs that import it beside this library. Nothing works: each
// function stops the program.

public struct PMKConfiguration {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public var Q: (map: DispatchQueue?, return: DispatchQueue?) = (map: .main, return: .main)
  public var catchPolicy = CatchPolicy.allErrorsExceptCancellation
  public var logHandler: (LogEvent) -> Void = { _ in }
}

public var conf = PMKConfiguration()

public enum CatchPolicy {
  case allErrors
  case allErrorsExceptCancellation
}

public enum LogEvent {
  case waitOnMainThread
  case pendingPromiseDeallocated
  case pendingGuaranteeDeallocated
  case cauterized(Error)
}

public enum PMKNamespacer {
  case promise
}

public enum PMKUnambiguousInitializer {
  case pending
}

public enum PMKError: Error {
  case returnedSelf
  case badInput
  case cancelled
  case compactMap(Any, Any.Type)
  case emptySequence
  case noWinner
}

public protocol CancellableError: Error {
  var isCancelled: Bool { get }
}

extension Error {
  public var isCancelled: Bool { stub() }
}

func stub() -> Never { fatalError("a stub") }
