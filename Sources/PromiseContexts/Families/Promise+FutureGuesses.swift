public import PromiseCore

// Methods with names that the futures of other libraries and languages have, as in `Promise+FirstGuesses`. None of them
// can be called, and the compiler's message names the right method.

extension Promise {
  @available(*, unavailable, message: "use `onFulfilled { value in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `onFulfilled { value in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func whenSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Promise { isNotCalled() }

  @available(
    *, unavailable,
    message: "use `onFailed { error in … }`, which omits cancellations, or `onRejected { error in … }` for every error"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Promise { isNotCalled() }

  @available(
    *, unavailable,
    message: "use `onFailed { error in … }`, which omits cancellations, or `onRejected { error in … }` for every error"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func whenFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `onSettled { result in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func onComplete(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `onSettled { result in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func whenComplete(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `map { value in … }`, whose closure may throw")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func flatMapThrowing<U: Sendable>(_ transform: @escaping @Sendable (Value) throws -> U) -> Promise<U> {
    isNotCalled()
  }

  @available(*, unavailable, message: "use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func thenAccept(_ body: @escaping @Sendable (Value) throws -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `map { value in … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func thenApply<U: Sendable>(_ transform: @escaping @Sendable (Value) throws -> U) -> Promise<U> {
    isNotCalled()
  }

  @available(*, unavailable, message: "use `then { value in … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func thenCompose<U: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Promise<U>) -> Promise<U> {
    isNotCalled()
  }

  @available(*, unavailable, message: "use `recover { error in … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func exceptionally(_ transform: @escaping @Sendable (any Error) throws -> Value) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `alwaysThen { _ in … }`, which waits for the promise of the closure")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func eventually<U: Sendable>(_ body: @escaping @Sendable () -> Promise<U>) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `tap { value in … }` for the value, or `always { result in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func handleEvents(
    receiveOutput: (@Sendable (Value) -> Void)? = nil,
    receiveCompletion: (@Sendable (Result<Value, any Error>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil
  ) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `cancel(upstream: true)`, which also gives up the work behind the promise")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func abandon() { isNotCalled() }

  // Disfavoured, so that the compiler tries it last. Otherwise it would cost time in each chain.
  @available(*, unavailable, message: "use `rescue { error in … }`, whose closure returns a promise")
  @_disfavoredOverload @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func recover(_ transform: @escaping @Sendable (any Error) throws -> Promise) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `catch(only: SomeError.self) { error in … }`")
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func `catch`<E: Error>(_ type: E.Type, _ body: @escaping @Sendable (E) -> Void) -> Promise { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.rejected(error)`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public convenience init(error: any Error) { isNotCalled() }

  @available(*, unavailable, message: "use `Promise.task { … }`")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public convenience init(_ body: @escaping @Sendable () async throws -> Value) { isNotCalled() }
}

@available(*, unavailable, message: "use `on: .main`")
extension MainActor: ExecutionContext {
  @_documentation(visibility: internal)
  public nonisolated func schedule(_ job: Job) { isNotCalled() }
}

// PromiseKit has these functions outside of its types.

@available(*, unavailable, message: "use `Promise.all(first, second)` of PromiseCombinators")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func when<each Value>(fulfilled promises: repeat Promise<each Value>) -> Promise<(repeat each Value)> {
  isNotCalled()
}

@available(*, unavailable, message: "use `Promise.all(promises)` of PromiseCombinators")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func when<Value>(fulfilled promises: [Promise<Value>]) -> Promise<[Value]> { isNotCalled() }

@available(*, unavailable, message: "use `Promise.allSettled(promises)` of PromiseCombinators")
@_documentation(visibility: internal) @_alwaysEmitIntoClient
public func when<Value>(resolved promises: [Promise<Value>]) -> Promise<[Result<Value, any Error>]> { isNotCalled() }
