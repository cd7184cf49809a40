import Dispatch

public final class Promise<T>: Thenable, CatchMixin {
  public class func value(_ value: T) -> Promise<T> { stub() }
  public init(error: Error) { stub() }
  public init<U: Thenable>(_ bridge: U) where U.T == T { stub() }
  public init(resolver body: (Resolver<T>) throws -> Void) { stub() }
  public init(_: PMKUnambiguousInitializer) { stub() }
  public class func pending() -> (promise: Promise<T>, resolver: Resolver<T>) { stub() }

  public func pipe(to: @escaping (Result<T>) -> Void) { stub() }
  public var result: Result<T>? { stub() }
  public func wait() throws -> T { stub() }
}

extension Promise where T == Void {
  public convenience init() { stub() }
}

extension Promise {
  public func async() async throws -> T { stub() }
}

public final class Resolver<T> {
  init() { stub() }

  public func fulfill(_ value: T) { stub() }
  public func reject(_ error: Error) { stub() }
  public func resolve(_ result: Result<T>) { stub() }
  public func resolve(_ value: T?, _ error: Error?) { stub() }
  public func resolve(_ value: T, _ error: Error?) { stub() }
  public func resolve(_ error: Error, _ value: T?) { stub() }
}

extension Resolver where T == Void {
  public func fulfill() { stub() }
  public func resolve(_ error: Error?) { stub() }
}

extension DispatchQueue {
  public final func async<T>(
    _: PMKNamespacer, group: DispatchGroup? = nil, qos: DispatchQoS = .default, flags: DispatchWorkItemFlags = [],
    execute body: @escaping () throws -> T
  ) -> Promise<T> { stub() }
}
