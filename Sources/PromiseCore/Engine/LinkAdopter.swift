// The closures of users that return a promise, as links keep them: two more kinds of handlers. A `ValueHandler` would have to
// be given one that returns anything, and a block of memory would be what makes one of the other.

/// Makes a promise of a value.
@usableFromInline
struct ValueAdopter<Input, Output: Sendable>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Promise<Output>

  @inlinable init(_ closure: @escaping @Sendable (Input) throws -> Promise<Output>) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) throws -> Promise<Output> { try closure(input) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// Makes a promise of an error.
@usableFromInline
struct ErrorAdopter<Output: Sendable>: Sendable {
  @usableFromInline let closure: @Sendable (any Error) throws -> Promise<Output>

  @inlinable init(_ closure: @escaping @Sendable (any Error) throws -> Promise<Output>) { self.closure = closure }

  @inlinable func callAsFunction(_ error: any Error) throws -> Promise<Output> { try closure(error) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorAdopter, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ErrorAdopter, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

extension LinkBody {
  @inlinable
  init<Input, Output>(
    _ handler: ValueAdopter<Input, Output>,
    _ call: @escaping @Sendable (ValueAdopter<Input, Output>, _ from: AnyPromise, _ to: AnyPromise) -> Verdict
  ) {
    self.init(erasing: handler, calledBy: ValueAdopter<Input, Output>.Caller(call))
  }

  @inlinable
  init<Output>(
    _ handler: ErrorAdopter<Output>,
    _ call: @escaping @Sendable (ErrorAdopter<Output>, _ from: AnyPromise, _ to: AnyPromise) -> Verdict
  ) {
    self.init(erasing: handler, calledBy: ErrorAdopter<Output>.Caller(call))
  }
}
