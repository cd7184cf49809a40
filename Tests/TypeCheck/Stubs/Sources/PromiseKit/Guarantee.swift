import Dispatch

public final class Guarantee<T>: Thenable {
  public class func value(_ value: T) -> Guarantee<T> { stub() }
  public init(resolver body: (@escaping (T) -> Void) -> Void) { stub() }
  public class func pending() -> (guarantee: Guarantee<T>, resolve: (T) -> Void) { stub() }

  public func pipe(to: @escaping (Result<T>) -> Void) { stub() }
  public var result: Result<T>? { stub() }
  public func wait() -> T { stub() }
}

extension Guarantee where T == Void {
  public convenience init() { stub() }
}

extension Guarantee {
  @discardableResult
  public func done(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) -> Void
  ) -> Guarantee<Void> { stub() }

  public func get(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) -> Void
  ) -> Guarantee<T> { stub() }

  public func map<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) -> U
  ) -> Guarantee<U> { stub() }

  @discardableResult
  public func then<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) -> Guarantee<U>
  ) -> Guarantee<U> { stub() }

  public func asVoid() -> Guarantee<Void> { stub() }
  public func async() async -> T { stub() }
}
