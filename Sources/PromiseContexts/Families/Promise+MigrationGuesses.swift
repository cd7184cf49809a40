public import Dispatch
public import PromiseCore

// Words of PromiseKit and google/promises that stand at the beginning or the end of a chain, as in
// `Promise+FirstGuesses`. None of them can be called, and the compiler's message names the right word.
//
// The compiler does not try an unavailable function while another one fits. So a file that also imports one of those
// libraries calls the library's own functions (Tests/TypeCheck/Compiles/beside-promisekit.swift).

extension Promise {
  @available(*, unavailable, message: "use `Promise.fulfilled()`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public convenience init() where Value == Void { isNotCalled() }

  // The forms below that are disfavoured are for values of which the compiler knows more. Without the attribute, a call
  // without a type would be ambiguous.

  @available(*, unavailable, message: "use `Deferred<Value>()`, whose `promise` is pending")
  @_disfavoredOverload @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public convenience init() { isNotCalled() }

  @available(*, unavailable, message: "use `Deferred<Value>()`, whose `promise` is pending")
  @_disfavoredOverload @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func pending() -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `let owner = Deferred<Value>()`, whose `promise` is pending")
  @_disfavoredOverload @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func pending() -> (promise: Promise, resolver: Deferred<Value>) { isNotCalled() }

  @available(
    *, unavailable, message: "use `alwaysThen { _ in … }`, which also waits for the promise that the closure returns"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func ensureThen<U: Sendable>(
    on queue: DispatchQueue? = nil, _ body: @escaping @Sendable () throws -> Promise<U>
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `onFailed { error in … }`, which handles the error")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func cauterize() -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `recover(from: SomeError.self) { error in … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func recoverFailure<E: Error>(from type: E.Type, _ transform: @escaping @Sendable (E) throws -> Value)
    -> Promise
  { isNotCalled() }

  @available(*, unavailable, message: "use `rescue(from: SomeError.self) { error in … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func rescueFailure<E: Error>(from type: E.Type, _ transform: @escaping @Sendable (E) throws -> Promise)
    -> Promise
  { isNotCalled() }
}

// Both libraries have functions outside of their types. `race`, `all`, `any`, `retry` and `attempt` are not among these.
// Clients have functions with such names, and the compiler infers less about the closures of a call that is overloaded
// (Tests/TypeCheck/Compiles/beside-own-functions.swift).

@available(*, unavailable, message: "leave `firstly` out, and begin the chain with the promise: `load().then { … }`")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func firstly<Value>(execute body: () throws -> Promise<Value>) -> Promise<Value> { isNotCalled() }

@available(*, unavailable, message: "use `Promise.after(.seconds(1))` of PromiseCombinators")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func after(seconds: Double) -> Promise<Void> { isNotCalled() }

@available(*, unavailable, message: "use `Promise.after(.seconds(1))` of PromiseCombinators")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func after(_ interval: Duration) -> Promise<Void> { isNotCalled() }
