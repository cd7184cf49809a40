// The closures of users, as links keep them: structures with one closure and nothing else (see `LinkBody`).
//
// One for each kind of closure, and not one for all: a closure that is passed as one of another kind, say with a result of
// any type where it has none, is wrapped by the compiler, in a block of memory. And each with a type for the functions that
// call it: with one for all, they would be given the handler by address, and count a reference to it.

/// Makes something of a value.
@usableFromInline
struct ValueHandler<Input, Output>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Output

  @inlinable init(_ closure: @escaping @Sendable (Input) throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) throws -> Output { try closure(input) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueHandler, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ValueHandler, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// Looks at something.
@usableFromInline
struct ValueObserver<Input>: Sendable {
  @usableFromInline let closure: @Sendable (Input) -> Void

  @inlinable init(_ closure: @escaping @Sendable (Input) -> Void) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) { closure(input) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueObserver, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ValueObserver, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// Makes something of an error.
@usableFromInline
struct ErrorHandler<Output>: Sendable {
  @usableFromInline let closure: @Sendable (any Error) throws -> Output

  @inlinable init(_ closure: @escaping @Sendable (any Error) throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction(_ error: any Error) throws -> Output { try closure(error) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorHandler, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ErrorHandler, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// Looks at an error.
@usableFromInline
struct ErrorObserver: Sendable {
  @usableFromInline let closure: @Sendable (any Error) -> Void

  @inlinable init(_ closure: @escaping @Sendable (any Error) -> Void) { self.closure = closure }

  @inlinable func callAsFunction(_ error: any Error) { closure(error) }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ErrorObserver, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (ErrorObserver, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// Makes something out of nothing.
@usableFromInline
struct Maker<Output>: Sendable {
  @usableFromInline let closure: @Sendable () throws -> Output

  @inlinable init(_ closure: @escaping @Sendable () throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction() throws -> Output { try closure() }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (Maker, AnyPromise, AnyPromise) -> Verdict
    @inlinable init(_ closure: @escaping @Sendable (Maker, AnyPromise, AnyPromise) -> Verdict) {
      self.closure = closure
    }
  }
}

/// A link function in the place of a handler.
struct FunctionHandler: Sendable {
  let closure: LinkFunction
}

/// A handler whose type was forgotten.
@usableFromInline
struct ErasedHandler: Sendable {
  private let closure: @Sendable () -> Void
}

/// A function that calls a handler, whose type was forgotten.
@usableFromInline
struct ErasedCaller: Sendable {
  let closure: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> Verdict
}
