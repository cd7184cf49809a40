import Dispatch
import Foundation

public func all<Value>(on queue: DispatchQueue = .promises, _ promises: Promise<Value>...) -> Promise<[Value]> {
  stub()
}

public func all<Value, Container: Sequence>(
  on queue: DispatchQueue = .promises, _ promises: Container
) -> Promise<[Value]> where Container.Element == Promise<Value> { stub() }

public func all<A, B>(
  on queue: DispatchQueue = .promises, _ promiseA: Promise<A>, _ promiseB: Promise<B>
) -> Promise<(A, B)> { stub() }

public func all<A, B, C>(
  on queue: DispatchQueue = .promises, _ promiseA: Promise<A>, _ promiseB: Promise<B>, _ promiseC: Promise<C>
) -> Promise<(A, B, C)> { stub() }

public func any<Value>(on queue: DispatchQueue = .promises, _ promises: Promise<Value>...) -> Promise<[Maybe<Value>]> {
  stub()
}

public func any<Value, Container: Sequence>(
  on queue: DispatchQueue = .promises, _ promises: Container
) -> Promise<[Maybe<Value>]> where Container.Element == Promise<Value> { stub() }

public func any<A, B>(
  on queue: DispatchQueue = .promises, _ promiseA: Promise<A>, _ promiseB: Promise<B>
) -> Promise<(Maybe<A>, Maybe<B>)> { stub() }

public func race<Value>(on queue: DispatchQueue = .promises, _ promises: Promise<Value>...) -> Promise<Value> { stub() }

public func race<Value>(on queue: DispatchQueue = .promises, _ promises: [Promise<Value>]) -> Promise<Value> { stub() }

public func retry<Value>(
  on queue: DispatchQueue = .promises, attempts count: Int = 1, delay interval: TimeInterval = 1.0,
  condition predicate: ((_ count: Int, _ error: Error) -> Bool)? = nil, _ work: @escaping () throws -> Promise<Value>
) -> Promise<Value> { stub() }

public func wrap(on queue: DispatchQueue = .promises, _ work: @escaping (@escaping () -> Void) throws -> Void)
  -> Promise<Void>
{ stub() }

public func wrap<Value>(
  on queue: DispatchQueue = .promises, _ work: @escaping (@escaping (Value) -> Void) throws -> Void
) -> Promise<Value> { stub() }

public func wrap<Value>(
  on queue: DispatchQueue = .promises, _ work: @escaping (@escaping (Value?, Error?) -> Void) throws -> Void
) -> Promise<Value> { stub() }

public func awaitPromise<Value>(_ promise: Promise<Value>) throws -> Value { stub() }

public func waitForPromises(timeout: TimeInterval) -> Bool { stub() }
