import Dispatch

public protocol CatchMixin: Thenable {}

public class PMKFinalizer {
  public func finally(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping () -> Void
  ) { stub() }
}

extension CatchMixin {
  @discardableResult
  public func `catch`(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, policy: CatchPolicy = conf.catchPolicy,
    _ body: @escaping (Error) -> Void
  ) -> PMKFinalizer { stub() }

  public func recover<U: Thenable>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, policy: CatchPolicy = conf.catchPolicy,
    _ body: @escaping (Error) throws -> U
  ) -> Promise<T> where U.T == T { stub() }

  @discardableResult
  public func recover(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (Error) -> Guarantee<T>
  ) -> Guarantee<T> { stub() }

  public func ensure(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping () -> Void
  ) -> Promise<T> { stub() }

  public func ensureThen(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping () -> Guarantee<Void>
  ) -> Promise<T> { stub() }

  @discardableResult
  public func cauterize() -> PMKFinalizer { stub() }
}

extension CatchMixin where T == Void {
  @discardableResult
  public func recover(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (Error) -> Void
  ) -> Guarantee<Void> { stub() }

  public func recover(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, policy: CatchPolicy = conf.catchPolicy,
    _ body: @escaping (Error) throws -> Void
  ) -> Promise<Void> { stub() }
}
