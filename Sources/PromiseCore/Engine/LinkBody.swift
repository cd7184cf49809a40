/// What a link does when its turn comes, built by the generic methods of `Promise` where all types are concrete.
///
/// `from` is the promise whose outcome is at hand; `to` is the derived promise (`from` again for an observer). It runs
/// the user's handler if there is one for this outcome, else it hands on the value of `from`; errors without a handler
/// never get here. It claims `to` and writes its payload; publishing is left to the engine, after the body and all it
/// captured have been released (rule 2.4).
@usableFromInline
package typealias LinkFunction = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> Verdict

/// A link function beside the user's handler that it calls, not around it.
///
/// A closure that captures the handler would be a block of memory more for every link (M2): a context with nothing in it
/// but the handler. So the two are kept side by side, without their types; `call` is given the handler when it is
/// called, and itself captures nothing where its types are concrete.
///
/// `@safe`: what is kept came here together, so a `call` is only ever given a handler of the type that it was written for.
/// All closures are two words, and a structure of one closure is passed as that closure is.
@safe @usableFromInline
package struct LinkBody: Sendable {
  private let call: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> Verdict
  private let handler: ErasedHandler

  @usableFromInline
  init(_ call: ErasedCall, of handler: ErasedHandler) {
    self.call = call.closure
    self.handler = handler
  }

  func callAsFunction(_ from: AnyPromise, _ to: AnyPromise) -> Verdict { call(handler, from, to) }
}

extension LinkBody {
  /// A function that captures what it needs.
  @usableFromInline
  package init(_ function: @escaping LinkFunction) {
    call = { function, from, to in unsafe unsafeBitCast(function, to: FunctionHandler.self).closure(from, to) }
    handler = unsafe unsafeBitCast(FunctionHandler(closure: function), to: ErasedHandler.self)
  }

  /// A function that calls a handler which is given something.
  @inlinable
  init<Input, Output>(
    calling handler: @escaping @Sendable (Input) throws -> Output,
    _ body: @escaping @Sendable (Handler<Input, Output>, _ from: AnyPromise, _ to: AnyPromise) -> Verdict
  ) {
    let call = unsafe unsafeBitCast(Handler<Input, Output>.Call(body), to: ErasedCall.self)
    self.init(call, of: unsafe unsafeBitCast(Handler(handler), to: ErasedHandler.self))
  }

  /// A function that calls a handler which is given nothing.
  @inlinable
  init<Output>(
    calling handler: @escaping @Sendable () throws -> Output,
    _ body: @escaping @Sendable (Maker<Output>, _ from: AnyPromise, _ to: AnyPromise) -> Verdict
  ) {
    let call = unsafe unsafeBitCast(Maker<Output>.Call(body), to: ErasedCall.self)
    self.init(call, of: unsafe unsafeBitCast(Maker(handler), to: ErasedHandler.self))
  }
}

// MARK: - Handlers

/// A handler that is given something.
@usableFromInline
struct Handler<Input, Output>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Output

  @inlinable init(_ closure: @escaping @Sendable (Input) throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction(_ input: Input) throws -> Output { try closure(input) }

  /// Of one that cannot throw.
  @inlinable func run(_ input: Input) where Output == Void { try? closure(input) }

  @usableFromInline
  struct Call: Sendable {
    @usableFromInline let closure: @Sendable (Handler, AnyPromise, AnyPromise) -> Verdict

    @inlinable
    init(_ closure: @escaping @Sendable (Handler, AnyPromise, AnyPromise) -> Verdict) { self.closure = closure }
  }
}

/// A handler that is given nothing.
@usableFromInline
struct Maker<Output>: Sendable {
  @usableFromInline let closure: @Sendable () throws -> Output

  @inlinable init(_ closure: @escaping @Sendable () throws -> Output) { self.closure = closure }

  @inlinable func callAsFunction() throws -> Output { try closure() }

  @usableFromInline
  struct Call: Sendable {
    @usableFromInline let closure: @Sendable (Maker, AnyPromise, AnyPromise) -> Verdict

    @inlinable
    init(_ closure: @escaping @Sendable (Maker, AnyPromise, AnyPromise) -> Verdict) { self.closure = closure }
  }
}

/// A link function in the place of a handler.
private struct FunctionHandler {
  let closure: LinkFunction
}

/// A handler whose type was forgotten.
@usableFromInline
struct ErasedHandler: Sendable {
  private let closure: @Sendable () -> Void
}

/// A function of a handler whose type was forgotten.
@usableFromInline
struct ErasedCall: Sendable {
  fileprivate let closure: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> Verdict
}
