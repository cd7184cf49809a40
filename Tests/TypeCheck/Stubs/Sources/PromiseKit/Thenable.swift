import Dispatch

public enum Result<T> {
  case fulfilled(T)
  case rejected(Error)
}

public protocol Thenable: AnyObject {
  associatedtype T

  func pipe(to: @escaping (Result<T>) -> Void)
  var result: Result<T>? { get }
}

extension Thenable {
  public func then<U: Thenable>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) throws -> U
  ) -> Promise<U.T> { stub() }

  public func map<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ transform: @escaping (T) throws -> U
  ) -> Promise<U> { stub() }

  public func map<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ keyPath: KeyPath<T, U>
  ) -> Promise<U> { stub() }

  public func compactMap<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ transform: @escaping (T) throws -> U?
  ) -> Promise<U> { stub() }

  public func done(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) throws -> Void
  ) -> Promise<Void> { stub() }

  public func get(
    on: DispatchQueue? = conf.Q.return, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) throws -> Void
  ) -> Promise<T> { stub() }

  public func tap(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (Result<T>) -> Void
  ) -> Promise<T> { stub() }

  public func asVoid() -> Promise<Void> { stub() }

  public var value: T? { stub() }
  public var error: Error? { stub() }
  public var isPending: Bool { stub() }
  public var isResolved: Bool { stub() }
  public var isFulfilled: Bool { stub() }
  public var isRejected: Bool { stub() }
}

extension Thenable where T: Sequence {
  public func mapValues<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ transform: @escaping (T.Iterator.Element) throws -> U
  ) -> Promise<[U]> { stub() }

  public func flatMapValues<U: Sequence>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ transform: @escaping (T.Iterator.Element) throws -> U
  ) -> Promise<[U.Iterator.Element]> { stub() }

  public func compactMapValues<U>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ transform: @escaping (T.Iterator.Element) throws -> U?
  ) -> Promise<[U]> { stub() }

  public func thenMap<U: Thenable>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ transform: @escaping (T.Iterator.Element) throws -> U
  ) -> Promise<[U.T]> { stub() }

  public func thenFlatMap<U: Thenable>(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ transform: @escaping (T.Iterator.Element) throws -> U
  ) -> Promise<[U.T.Iterator.Element]> where U.T: Sequence { stub() }

  public func filterValues(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil,
    _ isIncluded: @escaping (T.Iterator.Element) -> Bool
  ) -> Promise<[T.Iterator.Element]> { stub() }
}

extension Thenable where T: Collection {
  public var firstValue: Promise<T.Iterator.Element> { stub() }
  public var lastValue: Promise<T.Iterator.Element> { stub() }
}

extension Thenable where T: Sequence, T.Iterator.Element: Comparable {
  public func sortedValues(
    on: DispatchQueue? = conf.Q.map, flags: DispatchWorkItemFlags? = nil
  ) -> Promise<[T.Iterator.Element]> { stub() }
}
