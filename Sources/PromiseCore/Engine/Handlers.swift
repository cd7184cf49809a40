// The client's closures, as entries store them. Each is a structure with one closure and nothing else (see
// `HandlerBody`).
//
// Each kind of closure has a type of its own, because the compiler wraps a closure that is converted to another closure
// type in a heap block. Each also has a type for the function that calls it. A common type would receive the handler by
// address, and count a reference to it.

/// Transforms a value.
@usableFromInline
struct ValueHandler<Input, Output>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Output

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (Input) throws -> Output) { self.closure = closure }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) throws -> Output { try closure(input) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ValueHandler, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueHandler, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueHandler, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Makes a promise from a value.
@usableFromInline
struct ValueAdopter<Input, Output: Sendable>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Promise<Output>

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (Input) throws -> Promise<Output>) {
    self.closure = closure
  }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) throws -> Promise<Output> { try closure(input) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ValueAdopter, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Observes a value, or an outcome.
@usableFromInline
struct ValueObserver<Input>: Sendable {
  @usableFromInline let closure: @Sendable (Input) -> Void

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (Input) -> Void) { self.closure = closure }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) { closure(input) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ValueObserver, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueObserver, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueObserver, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Transforms an error.
@usableFromInline
struct ErrorHandler<Output>: Sendable {
  @usableFromInline let closure: @Sendable (any Error) throws -> Output

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (any Error) throws -> Output) { self.closure = closure }

  @_alwaysEmitIntoClient func callAsFunction(_ error: any Error) throws -> Output { try closure(error) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ErrorHandler, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorHandler, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ErrorHandler, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Makes a promise from an error.
@usableFromInline
struct ErrorAdopter<Output: Sendable>: Sendable {
  @usableFromInline let closure: @Sendable (any Error) throws -> Promise<Output>

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (any Error) throws -> Promise<Output>) {
    self.closure = closure
  }

  @_alwaysEmitIntoClient func callAsFunction(_ error: any Error) throws -> Promise<Output> { try closure(error) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ErrorAdopter, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorAdopter, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ErrorAdopter, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Observes an error.
@usableFromInline
struct ErrorObserver: Sendable {
  @usableFromInline let closure: @Sendable (any Error) -> Void

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable (any Error) -> Void) { self.closure = closure }

  @_alwaysEmitIntoClient func callAsFunction(_ error: any Error) { closure(error) }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ErrorObserver, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorObserver, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ErrorObserver, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Makes a value without an input.
@usableFromInline
struct ValueProducer<Output>: Sendable {
  @usableFromInline let closure: @Sendable () throws -> Output

  @_alwaysEmitIntoClient init(_ closure: @escaping @Sendable () throws -> Output) { self.closure = closure }

  @_alwaysEmitIntoClient
  func body(_ call: @escaping @Sendable (ValueProducer, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult)
    -> HandlerBody
  {
    HandlerBody(erasing: self, calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueProducer, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueProducer, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}
