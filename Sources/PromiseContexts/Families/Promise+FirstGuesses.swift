public import Dispatch
public import PromiseCore

// Methods with names that other libraries use, and with those of the owner's methods. None of them can be called, and
// the compiler's message names the right method.
//
// There is no such overload of `then` for closures that return no promise. It would cost nothing in valid chains. But
// if a name in a chain of seven calls is mistyped, the compiler would need ten seconds to report it.

extension Promise {
  @available(*, unavailable, message: "use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func done(
    on queue: DispatchQueue? = nil, _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `tap { value in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func get(
    on queue: DispatchQueue? = nil, _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `try await promise.value`, or `promise.result` for what is there already")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func get() -> Value { isNotCalled() }

  @available(
    *, unavailable,
    message: "use `try await promise.value`, or `waitForValue(within:)` of PromiseWaiting where a thread may block"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func wait() -> Value { isNotCalled() }

  @available(*, unavailable, message: "use `always { _ in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func finally(
    on queue: DispatchQueue? = nil, _ body: @escaping @Sendable () -> Void
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `always { _ in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func ensure(
    on queue: DispatchQueue? = nil, _ body: @escaping @Sendable () -> Void
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `then { value in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func flatMap<U: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Promise<U>) -> Promise<U> {
    isNotCalled()
  }

  @available(*, unavailable, message: "use `rescue { error in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func flatMapError(_ transform: @escaping @Sendable (any Error) throws -> Promise) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `recover { _ in value }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func replaceError(with value: Value) -> Promise { isNotCalled() }

  @available(
    *, unavailable, message: "use `onFulfilled { value in … }`, or `onSettled { result in … }` for errors, too"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func sink(_ body: @escaping @Sendable (Value) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `on(context)`, or name the context at a link: `map(on: context) { … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func receive(on context: any ExecutionContext) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `delay(.seconds(1))` of PromiseCombinators")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func sleep(_ duration: Duration) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `delay(.seconds(1))` of PromiseCombinators")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func sleep(for duration: Duration) -> Promise { isNotCalled() }

  @available(
    *, unavailable, message: "only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func fulfill(_ value: Value) -> Bool { isNotCalled() }

  @available(
    *, unavailable, message: "only the owner settles a promise: call `fulfill()` of the `Deferred` that made it"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func fulfill() -> Bool where Value == Void { isNotCalled() }

  @available(
    *, unavailable, message: "only the owner settles a promise: call `reject(error)` of the `Deferred` that made it"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func reject(_ error: any Error) -> Bool { isNotCalled() }

  @available(
    *, unavailable, message: "only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func resolve(_ value: Value) -> Bool { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.fulfilled(value)`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func value(_ value: Value) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.fulfilled(value)`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func resolve(_ value: Value) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.rejected(error)`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func reject(_ error: any Error) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.deferred()`, or `Deferred()`, whose `promise` is pending")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func pending() -> Deferred<Value> { isNotCalled() }
}

/// The body of methods that cannot be called. The library contains no code of them, because they are emitted into
/// clients, which do not call them.
@_alwaysEmitIntoClient
func isNotCalled() -> Never { fatalError("unavailable") }
