public import PromiseCore

// Methods of a view with a context of their own. It would not be clear on which context the handlers after them run. So
// none of these methods can be called, and the compiler's message states what to write instead.

extension PromiseView {
  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).map { … }` also moves the links after this one, and `view.promise.map(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func map<U: Sendable>(on context: MainContext, _ transform: @escaping @MainActor (Value) throws -> U)
    -> PromiseOnMain<U>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).map { … }` also moves the links after this one, and `view.promise.map(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func map<U: Sendable>(on context: any ExecutionContext, _ transform: @escaping @Sendable (Value) throws -> U)
    -> PromiseOnContext<U>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).then { … }` also moves the links after this one, and `view.promise.then(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func then<U: Sendable>(on context: MainContext, _ transform: @escaping @MainActor (Value) throws -> Promise<U>)
    -> PromiseOnMain<U>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).then { … }` also moves the links after this one, and `view.promise.then(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    on context: any ExecutionContext, _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> PromiseOnContext<U> { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).tap { … }` also moves the links after this one, and `view.promise.tap(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func tap(on context: MainContext, _ body: @escaping @MainActor (Value) throws -> Void) -> PromiseOnMain<Value>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).tap { … }` also moves the links after this one, and `view.promise.tap(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func tap(on context: any ExecutionContext, _ body: @escaping @Sendable (Value) throws -> Void)
    -> PromiseOnContext<Value>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).catch { … }` also moves the links after this one, and `view.promise.catch(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func `catch`(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> PromiseOnMain<Value>
  { isNotCalled() }

  @available(
    *, unavailable,
    message:
      "a view already says where its handlers run: `view.on(context).catch { … }` also moves the links after this one, and `view.promise.catch(on: context) { … }` returns a promise"
  )
  @discardableResult @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public func `catch`(on context: any ExecutionContext, _ body: @escaping @Sendable (any Error) -> Void)
    -> PromiseOnContext<Value>
  { isNotCalled() }
}
