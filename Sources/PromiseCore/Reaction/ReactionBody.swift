/// The function that a reaction runs for an outcome. The generic methods of `Promise` build it where all types are
/// concrete.
///
/// `from` is the settled promise. `to` is the derived promise, or `from` again for an observer. The function calls the
/// user's handler if there is one for this outcome. Otherwise it copies the value of `from`. It is never called for an
/// error without a handler. It claims `to` and writes the payload. The engine publishes `to` after the body and its
/// captures have been released (rule 2.4).
@usableFromInline
package typealias ReactionFunction = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> Verdict

/// A user's handler and the function that calls it, side by side.
///
/// A closure that captures the handler would need one more heap block for every reaction, for a context that contains
/// only the handler. So both are stored separately, with their types erased. `caller` is passed the handler when it is
/// called, and captures nothing where its types are concrete.
///
/// `@safe`, because the two are only stored together, so that a `caller` is only passed a handler of the type for which
/// it was written. Every handler is one closure, and so has the size of two words.
@safe @usableFromInline
package struct ReactionBody: Sendable {
  private let caller: ErasedCaller
  private let handler: ErasedHandler

  @usableFromInline
  init(_ handler: ErasedHandler, calledBy caller: ErasedCaller) {
    self.handler = handler
    self.caller = caller
  }

  /// Creates a body from a handler and a function that calls it. Both are structures of one closure each, see
  /// `Handlers.swift`.
  @_alwaysEmitIntoClient
  init<Handler, Caller>(erasing handler: Handler, calledBy caller: Caller) {
    unsafe self.init(
      unsafeBitCast(handler, to: ErasedHandler.self), calledBy: unsafeBitCast(caller, to: ErasedCaller.self))
  }

  /// Creates a body from a function that captures what it needs.
  @usableFromInline
  package init(_ function: @escaping ReactionFunction) {
    handler = unsafe unsafeBitCast(FunctionHandler(closure: function), to: ErasedHandler.self)
    caller = ErasedCaller { function, from, to in
      unsafe unsafeBitCast(function, to: FunctionHandler.self).closure(from, to)
    }
  }

  func callAsFunction(_ from: AnyPromise, _ to: AnyPromise) -> Verdict { caller.closure(handler, from, to) }
}

/// A reaction function that is stored in the place of a handler.
private struct FunctionHandler {
  let closure: ReactionFunction
}

/// A handler whose type is erased.
@usableFromInline
struct ErasedHandler: Sendable {
  private let closure: @Sendable () -> Void
}

/// A function that calls a handler and whose type is erased.
@usableFromInline
struct ErasedCaller: Sendable {
  fileprivate let closure: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> Verdict
}
