// swift-format-ignore-file: AmbiguousTrailingClosureOverload

import Dispatch

public func firstly<U: Thenable>(execute body: () throws -> U) -> Promise<U.T> { stub() }
public func firstly<T>(execute body: () -> Guarantee<T>) -> Guarantee<T> { stub() }

public func after(seconds: Double) -> Guarantee<Void> { stub() }
public func after(_ interval: DispatchTimeInterval) -> Guarantee<Void> { stub() }

public func race<U: Thenable>(_ thenables: U...) -> Promise<U.T> { stub() }
public func race<U: Thenable>(_ thenables: [U]) -> Promise<U.T> { stub() }
public func race<T>(_ guarantees: Guarantee<T>...) -> Guarantee<T> { stub() }
public func race<U: Thenable>(fulfilled thenables: [U]) -> Promise<U.T> { stub() }

public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<[U.T]> { stub() }
public func when<U: Thenable>(fulfilled promises: U...) -> Promise<Void> where U.T == Void { stub() }
public func when<U: Thenable>(fulfilled promises: [U]) -> Promise<Void> where U.T == Void { stub() }
public func when<U: Thenable, V: Thenable>(fulfilled pu: U, _ pv: V) -> Promise<(U.T, V.T)> { stub() }
public func when<U: Thenable, V: Thenable, W: Thenable>(
  fulfilled pu: U, _ pv: V, _ pw: W
) -> Promise<(U.T, V.T, W.T)> { stub() }
public func when<It: IteratorProtocol>(
  fulfilled promiseIterator: It, concurrently: Int
) -> Promise<[It.Element.T]> where It.Element: Thenable { stub() }
public func when<T>(resolved promises: Promise<T>...) -> Guarantee<[Result<T>]> { stub() }
public func when<T>(resolved promises: [Promise<T>]) -> Guarantee<[Result<T>]> { stub() }
public func when<T>(_ guarantees: Guarantee<T>...) -> Guarantee<[T]> { stub() }
public func when<T>(guarantees: [Guarantee<T>]) -> Guarantee<[T]> { stub() }

public func hang<T>(_ promise: Promise<T>) throws -> T { stub() }
