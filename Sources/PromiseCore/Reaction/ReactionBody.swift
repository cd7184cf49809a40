/// What a reaction does when its turn comes, built by the generic methods of `Promise` where all types are concrete.
///
/// `from` is the promise whose outcome is at hand; `to` is the derived promise (`from` again for an observer). It runs
/// the user's handler if there is one for this outcome, else it hands on the value of `from`; errors without a handler
/// never get here. It claims `to` and writes its payload; publishing is left to the engine, after the body and all it
/// captured have been released (rule 2.4).
@usableFromInline
package typealias ReactionFunction = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> Verdict

/// A reaction function beside the user's handler that it calls, not around it.
///
/// A closure that captures the handler would be a block of memory more for every reaction (M2): a context with nothing in it
/// but the handler. So the two are kept side by side, and their types forgotten; `caller` is given the handler when it is
/// called, and itself captures nothing where its types are concrete.
///
/// `@safe`: what is kept came here together, so a `caller` is only ever given a handler of the type that it was written for.
/// Any handler is one closure, and so two words, and is passed as these.
@safe @usableFromInline
package struct ReactionBody: Sendable {
  private let caller: ErasedCaller
  private let handler: ErasedHandler

  @usableFromInline
  init(_ handler: ErasedHandler, calledBy caller: ErasedCaller) {
    self.handler = handler
    self.caller = caller
  }

  /// A handler, and a function that calls it: structures of one closure each, see `LinkHandler.swift`.
  @inlinable
  init<Handler, Caller>(erasing handler: Handler, calledBy caller: Caller) {
    unsafe self.init(
      unsafeBitCast(handler, to: ErasedHandler.self), calledBy: unsafeBitCast(caller, to: ErasedCaller.self))
  }

  /// A function that captures what it needs.
  @usableFromInline
  package init(_ function: @escaping ReactionFunction) {
    handler = unsafe unsafeBitCast(FunctionHandler(closure: function), to: ErasedHandler.self)
    caller = ErasedCaller { function, from, to in
      unsafe unsafeBitCast(function, to: FunctionHandler.self).closure(from, to)
    }
  }

  func callAsFunction(_ from: AnyPromise, _ to: AnyPromise) -> Verdict { caller.closure(handler, from, to) }
}

/// A reaction function in the place of a handler.
private struct FunctionHandler {
  let closure: ReactionFunction
}

/// A handler whose type was forgotten.
@usableFromInline
struct ErasedHandler: Sendable {
  private let closure: @Sendable () -> Void
}

/// A function that calls a handler, whose type was forgotten.
@usableFromInline
struct ErasedCaller: Sendable {
  fileprivate let closure: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> Verdict
}
