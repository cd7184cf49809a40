/// A closure of the user's, as a link keeps it: a structure with that closure and nothing else (see `LinkBody`).
///
/// One for each kind of closure, and not one for all: a closure that is passed as one of another kind, say with a result of
/// any type where it has none, is wrapped by the compiler, in a block of memory.
@usableFromInline
protocol LinkHandler: Sendable {}

/// Makes something of a value.
@usableFromInline
struct ValueHandler<Input, Output>: LinkHandler {
  @usableFromInline let closure: @Sendable (Input) throws -> Output

  @inlinable init(_ closure: @escaping @Sendable (Input) throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) throws -> Output { try closure(input) }
}

/// Looks at something.
@usableFromInline
struct ValueObserver<Input>: LinkHandler {
  @usableFromInline let closure: @Sendable (Input) -> Void

  @inlinable init(_ closure: @escaping @Sendable (Input) -> Void) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) { closure(input) }
}

/// Makes something of an error.
@usableFromInline
struct ErrorHandler<Output>: LinkHandler {
  @usableFromInline let closure: @Sendable (any Error) throws -> Output

  @inlinable init(_ closure: @escaping @Sendable (any Error) throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction(_ error: any Error) throws -> Output { try closure(error) }
}

/// Looks at an error.
@usableFromInline
struct ErrorObserver: LinkHandler {
  @usableFromInline let closure: @Sendable (any Error) -> Void

  @inlinable init(_ closure: @escaping @Sendable (any Error) -> Void) { self.closure = closure }

  @inlinable func callAsFunction(_ error: any Error) { closure(error) }
}

/// Makes something out of nothing.
@usableFromInline
struct Maker<Output>: LinkHandler {
  @usableFromInline let closure: @Sendable () throws -> Output

  @inlinable init(_ closure: @escaping @Sendable () throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction() throws -> Output { try closure() }
}
